import { textOf } from '@varve/events';
import { type } from 'arktype';
import * as v from 'valibot';
import { expect, test } from 'vitest';
import * as z from 'zod';
import { finish } from '../finish.ts';
import { openedTool } from '../testing/opened-tool.ts';
import { defineTool } from './define-tool.ts';

const base = { name: 'ship', description: 'For tests.', effect: 'read' } as const;
const execute = async ({ order, note }: { order: number; note?: string | undefined }): Promise<string> =>
  `${order + 1}${note ?? ''}`;
const jsonSchema = { type: 'object', properties: { order: { type: 'number' }, note: { type: 'string' } } };
const byValibot = v.object({ order: v.number(), note: v.optional(v.string()) });
const fail = (): never => {
  throw new Error('No.');
};
const byArktype = type({ order: 'number', 'note?': 'string' });

test.for([
  ['valibot', defineTool({ ...base, input: byValibot, jsonSchema, execute })],
  ['arktype', defineTool({ ...base, input: byArktype, execute })],
  ['zod', defineTool({ ...base, input: z.object({ order: z.number(), note: z.string().optional() }), execute })],
] as const)('a tool has a schema of %s', async ([, tool]) => {
  await using ship = await openedTool(tool);
  expect(tool.parameters).toMatchObject(jsonSchema);
  expect(textOf((await ship.call({ order: 1, note: '!' })).content)).toBe('2!');
  expect(() => tool.parse({ order: 'one' })).toThrow(/^The arguments of ship are not valid\. order/);
  expect(tool.fromAction(tool.toAction({ order: 1 }))).toEqual({ order: 1 });
});

test('an answer has the form of a schema of another library', () => {
  const tool = finish({ responseSchema: type({ files: 'string[]', '+': 'reject' }) });
  const parse = (answer: object): unknown => tool.parse(answer);
  expect(tool.parameters).toMatchObject({ properties: { files: { type: 'array' } }, required: ['message', 'files'] });
  expect(parse({ message: 'Done.', files: ['a'] })).toEqual({ message: 'Done.', structured_output: { files: ['a'] } });
  expect(() => parse({ message: 'Done.', files: 'a' })).toThrow('The arguments of finish are not valid.');
  expect(() => parse({ message: 'Done.', files: [], more: 1 })).toThrow('The arguments of finish are not valid.');
});

test('a schema without a JSON Schema of an object is refused, and one that waits', () => {
  expect(() => defineTool({ ...base, input: byValibot, execute })).toThrow(
    'The schema of ship by valibot has no JSON Schema.',
  );
  const other = { ...base, jsonSchema: { type: 'string' }, input: byValibot, execute };
  expect(() => defineTool(other)).toThrow('The input of ship is not an object.');
  expect(() => finish({ responseSchema: byValibot })).toThrow('The schema of finish by valibot has no JSON Schema.');
  const failing = { ...byValibot, '~standard': { ...byValibot['~standard'], jsonSchema: { input: fail } } };
  expect(() => defineTool({ ...base, input: failing, execute })).toThrow('valibot makes no JSON Schema');
  const input = v.objectAsync({
    order: v.pipeAsync(
      v.number(),
      v.checkAsync(async () => true),
    ),
  });
  const waiting = defineTool({ ...base, input, jsonSchema, execute });
  expect(() => waiting.parse({ order: 1 })).toThrow('The schema of ship validates asynchronously.');
});
