// Defines a tool, prints its schema for the model, and calls it as an agent does.
import { defineTool, ToolError } from '@varve/tools';
import * as z from 'zod';

const roll = defineTool({
  name: 'roll',
  description: 'Rolls dice and returns the sum.',
  input: z.object({
    dice: z.number().int().min(1).max(100).describe('How many dice.'),
    sides: z.number().int().min(2).default(6).describe('Sides of each.'),
  }),
  effect: 'read',
  execute: async ({ dice, sides }) => ({ sum: dice * Math.ceil(sides / 2) }),
});

console.log(JSON.stringify(roll.parameters));

const input = roll.parse({ dice: 3 });
const context = { workspace: process.cwd(), signal: new AbortController().signal, idempotencyKey: 'example' };
console.log(JSON.stringify(await roll.execute(input, context)));

try {
  roll.parse({ dice: 0, colour: 'red' });
} catch (error) {
  if (error instanceof ToolError) console.log(error.code, error.message);
}
