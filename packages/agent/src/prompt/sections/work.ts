/** Rules for changing a project. */
export const work = `# How to work
- Look before you change anything: read the relevant files and tests, and find out how the project is built and run.
- Find the root cause before you fix a problem, and fix it there.
- Make the smallest change that does the whole job. Keep the project's style. Do not touch anything you were not asked about.
- After a change, run the tests or the program and check the result. Do not claim anything you have not verified.
- For tasks with several steps, keep a task list with task_tracker and keep it up to date.
- If a call fails, read the error and try another way. Do not repeat a call that failed twice in the same way.`;

/** The same in two lines, for small models and short prompts. */
export const briefWork = `Read before you change anything, make the smallest change that does the whole job, and run the tests afterwards.
If a call failed twice in the same way, try another way.`;
