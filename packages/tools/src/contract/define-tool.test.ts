import { textOf } from '@varve/events';
import { expect, test } from 'vitest';
import * as z from 'zod';
import { defineTool } from './define-tool.ts';
import { cautiousAnnotations, type Effect } from './tool.ts';
import { openedTool } from '../testing/opened-tool.ts';

const execute = async (): Promise<string> => '';
const repairInput = (): Readonly<Record<string, unknown>> => ({ a: 'x' });
const base = { name: 'probe', description: 'For tests.', effect: 'read' } as const;

test('an error thrown by a tool reaches the caller unchanged', async () => {
  const bug = new TypeError('A bug.');
  await using probe = await openedTool(
    defineTool({ ...base, input: z.object({}), execute: () => Promise.reject(bug) }),
  );
  await expect(probe.call({})).rejects.toBe(bug);
});

test('a call that rejects because its signal aborted fails with the code aborted, whatever error it throws', async () => {
  const controller = new AbortController();
  const aborting = async (_: object, { signal }: { signal: AbortSignal }): Promise<string> => {
    controller.abort();
    signal.throwIfAborted();
    return 'late';
  };
  await using probe = await openedTool(defineTool({ ...base, input: z.object({}), execute: aborting }));
  await expect(probe.call({}, { signal: controller.signal })).rejects.toMatchObject({
    name: 'ToolError',
    code: 'aborted',
  });
});

test('a result is rendered as text, as JSON or by the present function of the tool', async () => {
  const input = z.object({});
  await using asText = await openedTool(defineTool({ ...base, input, execute: async () => 'text' }));
  await using asJson = await openedTool(defineTool({ ...base, input, execute: async () => ({ a: 1 }) }));
  await using presented = await openedTool(
    defineTool({ ...base, input, execute: async () => 2, present: (two) => `It is ${two}.` }),
  );
  const results = await Promise.all([asText, asJson, presented].map((probe) => probe.call({})));
  expect(results.map(({ content }) => textOf(content))).toEqual(['text', '{"a":1}', 'It is 2.']);
});

test('a loose schema keeps unknown fields, every other schema rejects them', () => {
  const strict = defineTool({ ...base, input: z.object({ a: z.string() }), execute });
  const loose = defineTool({ ...base, input: z.looseObject({ a: z.string() }), execute });
  expect(() => strict.parse({ a: 'x', b: 1 })).toThrow(/"b"/);
  expect(loose.parse({ a: 'x', b: 1 })).toEqual({ a: 'x', b: 1 });
});

test('literals and unions are translated to keywords that every provider understands', () => {
  const input = z.object({
    mode: z.literal('fast').describe('How.'),
    what: z
      .discriminatedUnion('kind', [z.object({ kind: z.literal('a') }), z.object({ kind: z.literal('b') })])
      .describe('What.'),
  });
  const { parameters } = defineTool({ ...base, input, execute });
  expect(parameters['properties']).toMatchObject({
    mode: { enum: ['fast'] },
    what: { anyOf: [{ properties: { kind: { enum: ['a'] } } }, { properties: { kind: { enum: ['b'] } } }] },
  });
});

test('aliases and repairInput of the options are on the tool, and absent by default', () => {
  const input = z.object({ a: z.string() });
  expect(defineTool({ ...base, input, execute, aliases: ['trial'], repairInput })).toMatchObject({
    aliases: ['trial'],
    repairInput,
  });
  expect(Object.keys(defineTool({ ...base, input, execute }))).not.toContain('repairInput');
});

const hints = (effect: Effect | (() => Effect), annotations = {}) =>
  defineTool({ ...base, input: z.object({}), execute, effect, annotations }).annotations;

test('the hints of a tool follow from its effect, except those that are set', () => {
  expect(hints('read')).toEqual({
    readOnlyHint: true,
    destructiveHint: false,
    idempotentHint: true,
    openWorldHint: true,
  });
  expect(hints('idempotent')).toMatchObject({ readOnlyHint: false, destructiveHint: true, idempotentHint: true });
  expect(hints('write', { destructiveHint: false })).toEqual({ ...cautiousAnnotations, destructiveHint: false });
  expect(hints(() => 'read')).toEqual(cautiousAnnotations);
});
