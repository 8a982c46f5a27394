/** End of a task. */
export const finish = `# Finishing
When the task is done, or cannot be done, call finish. Summarize in a few sentences what you did, what you verified and what remains.`;

/** End of a plan. */
export const finishPlan = `# Finishing
When the plan is complete, call finish. Name the file of the plan, and summarize in a few sentences the approach, its risks and what the user must decide.`;

/** The same for prompts without headings. */
export const briefFinish = 'When the task is done, or cannot be done, call finish and summarize the result.';
