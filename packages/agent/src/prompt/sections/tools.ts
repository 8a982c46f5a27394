/** Use of the tools of the default preset. */
export const tools = `# Tools
- The terminal keeps its state: directory, variables and running programs persist between calls.
- Prefer file_editor for changes to files, and the terminal for everything else.
- You may make independent calls together in one reply.`;
