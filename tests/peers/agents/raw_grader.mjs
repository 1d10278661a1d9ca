// Answers a rubric as a careless model might, so that what Promptfoo makes of it can be seen.
const ANSWERS = {
  "grade nan": '{"pass": true, "score": NaN, "reason": "x"}',
  "grade 1.5": '{"pass": true, "score": 1.5, "reason": "x"}',
  "grade -0.5": '{"pass": true, "score": -0.5, "reason": "x"}',
  "without pass": '{"score": 0.1, "reason": "x"}',
};

export default class RawGrader {
  id() {
    return "raw-grader";
  }

  async callApi(prompt, context) {
    return { output: ANSWERS[context.vars.rubric] };
  }
}
