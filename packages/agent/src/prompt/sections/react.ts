/** Order of a step in which the model reasons in its text. @see https://arxiv.org/abs/2210.03629 */
export const react = `# Steps
Work in steps of a thought, one action and its observation.
- Thought: before every call, write in one to three sentences what you know, what is missing and what you do next. Base it on the last observation, not on what you expected.
- Action: then make exactly one tool call.
- Observation: the result of the call. Read it before the next thought; if it contradicts your plan, change the plan.
Do not write an observation yourself. When the observations answer the task, call finish.`;
