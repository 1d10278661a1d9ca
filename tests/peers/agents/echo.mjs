// A Promptfoo provider that puts out `vars.output`, without Naoshi.
export default class Echo {
  id() {
    return "echo";
  }

  async callApi(prompt, context) {
    return { output: context.vars.output, cost: 0 };
  }
}
