import * as z from 'zod';

/** The tool of every loop: its description, its parameters and its result. */
export const note = {
  name: 'note',
  description: 'Notes a text.',
  input: z.object({ text: z.string().describe('The text.') }),
  result: 'x'.repeat(200),
  task: 'Note what you see.',
};
