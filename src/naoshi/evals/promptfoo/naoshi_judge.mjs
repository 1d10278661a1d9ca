// A Promptfoo grader that has Naoshi's judge grade, so that both programs are judged by the same.
import { ask } from "./naoshi_agent.mjs";

export default class NaoshiJudge {
  id() {
    return "naoshi-judge";
  }

  async callApi(prompt, context) {
    const { output, rubric, ...vars } = context?.vars ?? {};
    return ask({ what: "grade", output, rubric, vars });
  }
}
