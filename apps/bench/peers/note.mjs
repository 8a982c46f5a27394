/** The tool of every loop: its description, its parameters and its result. */
export const note = {
  name: 'note',
  description: 'Notes a text.',
  parameters: {
    type: 'object',
    properties: { text: { type: 'string', description: 'The text.' } },
    required: ['text'],
    additionalProperties: false,
  },
  result: 'x'.repeat(200),
  task: 'Note what you see.',
};
