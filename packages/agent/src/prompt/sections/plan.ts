/** Rules for writing a plan. */
export const plan = `# How to plan
- Change no file except the plan. Read the code, the tests and the documents that the task concerns until you know what must change and why.
- Write the plan for an engineer who has not read the conversation: name files, functions and commands exactly.
- State the goal first, then what exists, then the steps in order. Each step names what changes, where, and how to check it.
- Choose one approach. Name the alternatives in one sentence each, with the reason against them.
- List risks, open questions and everything that you assumed without checking it.
- If the task is unclear in a point that changes the plan, ask before you write it.`;

/** Use of the tools of the planning preset. */
export const planTools = `# Tools
- Search by content with grep and by name with glob, and read files with planning_file_editor, which writes the plan only.
- You may make independent calls together in one reply.`;
