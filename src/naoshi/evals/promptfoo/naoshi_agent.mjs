// A Promptfoo provider that has Naoshi run the agent under test. It asks over a socket in a private folder.
import net from "node:net";

export function ask(request) {
  return new Promise((resolve, reject) => {
    const socket = net.createConnection(process.env.NAOSHI_SOCKET);
    const parts = [];
    socket.on("connect", () => socket.write(JSON.stringify(request) + "\n"));
    socket.on("data", (part) => parts.push(part));
    socket.on("error", reject);
    socket.on("end", () => {
      try {
        resolve(JSON.parse(Buffer.concat(parts).toString("utf8")));
      } catch (error) {
        reject(error);
      }
    });
  });
}

export default class NaoshiAgent {
  id() {
    return "naoshi";
  }

  async callApi(prompt, context) {
    return ask({ what: "answer", case_id: context.test?.metadata?.case_id ?? null });
  }
}
