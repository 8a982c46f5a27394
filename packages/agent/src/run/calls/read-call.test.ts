import { expect, test } from 'vitest';
import type { ToolCall } from '@varve/events';
import { defineTool, type Tool } from '@varve/tools';
import * as z from 'zod';
import { offeredTool } from '../../request/offered-tools.ts';
import { readCall } from './read-call.ts';

const write = defineTool({
  name: 'write',
  description: 'Writes.',
  input: z.object({ text: z.string().describe('Text.'), times: z.number().int().default(1).describe('Times.') }),
  effect: 'write',
  execute: async () => 'ok',
});

const summarise = defineTool({
  name: 'summarise',
  description: 'Keeps a summary.',
  input: z.object({ summary: z.string().describe('Summary.') }),
  effect: 'read',
  execute: async () => 'ok',
});

const tools = new Map<string, Tool>([
  ['write', write],
  ['summarise', summarise],
]);

const call = (name: string, args: string): ToolCall => ({ id: 'c1', name, arguments: args, origin: 'completion' });

test('a valid call has its input with defaults, its risk and its summary', () => {
  const read = readCall(call('write', '{"security_risk":"LOW","summary":"Write it","text":"a"}'), tools);
  expect(read).toMatchObject({
    kind: 'valid',
    action: { data: { text: 'a', times: 1 } },
    risk: 'LOW',
    summary: 'Write it',
  });
});

test('arguments that a tool rejects are repaired by the tool and checked again', () => {
  const repairing: Tool = { ...write, repairInput: ({ body, ...rest }) => ({ text: body, ...rest }) };
  const repaired = readCall(call('write', '{"body":"a"}'), new Map([['write', repairing]]));
  expect(repaired).toMatchObject({ kind: 'valid', action: { data: { text: 'a' } } });
  expect(readCall(call('write', '{"body":"a"}'), tools)).toMatchObject({ kind: 'invalid' });
});

test('null counts as absent for a parameter that cannot be null', () => {
  expect(readCall(call('write', '{"text":"a","times":null}'), tools)).toMatchObject({
    action: { data: { text: 'a', times: 1 } },
  });
});

const assign = defineTool({
  name: 'assign',
  description: 'Assigns.',
  input: z.object({
    due: z.string().nullable().describe('Required.'),
    gardener: z.string().nullable().optional().describe('Optional.'),
    security_risk: z.string().optional().describe('Risk of the bed.'),
  }),
  effect: 'write',
  execute: async () => 'ok',
});

test('null is a value of a parameter that can be null', () => {
  const read = readCall(call('assign', '{"due":null,"gardener":null}'), new Map([['assign', assign]]));
  expect(read).toMatchObject({ kind: 'valid', action: { data: { due: null, gardener: null } } });
});

test('a parameter of the tool is not a rating of the call, even with the name of the rating', () => {
  const read = readCall(call('assign', '{"due":"May","security_risk":"HIGH"}'), new Map([['assign', assign]]));
  expect(read).toMatchObject({ kind: 'valid', risk: 'UNKNOWN', action: { data: { security_risk: 'HIGH' } } });
});

test('an invalid risk is unknown, and so is the risk of a tool that only reads', () => {
  expect(readCall(call('write', '{"text":"a","security_risk":"MILD"}'), tools)).toMatchObject({ risk: 'UNKNOWN' });
  expect(readCall(call('summarise', '{"summary":"a","security_risk":"HIGH"}'), tools)).toMatchObject({
    risk: 'UNKNOWN',
  });
});

test('a tool that declares a summary keeps it', () => {
  expect(readCall(call('summarise', '{"summary":"short"}'), tools)).toMatchObject({
    action: { data: { summary: 'short' } },
    summary: 'short',
  });
});

test.for(['', 'nonsense', '[1]', '"text"', 'null', '{"text": "a'])(
  'arguments %j are answered, not executed',
  (args) => {
    expect(readCall(call('write', args), tools)).toMatchObject({
      kind: 'invalid',
      problem: expect.stringMatching(
        /^The arguments of write are not a JSON object(?:: .+)?\. Send the call again\.$/,
      ) as string,
    });
  },
);

test('a backslash that JSON does not have is kept, and one with two meanings is answered with its place', () => {
  expect(readCall(call('write', String.raw`{"text": "s/1\.5/2.0/"}`), tools)).toMatchObject({
    action: { data: { text: String.raw`s/1\.5/2.0/` } },
  });
  expect(readCall(call('write', String.raw`{"text": "C:\work\new"}`), tools)).toMatchObject({
    problem: expect.stringContaining('more than one meaning at character 18 in text') as string,
  });
});

const names = (tool: Tool): readonly string[] => Object.keys(offeredTool(tool).parameters['properties'] ?? {});

test('arguments nested too deep for a log are answered, not executed', () => {
  const anything = defineTool({
    name: 'anything',
    description: 'Takes anything.',
    input: z.object({ value: z.unknown().describe('Anything.') }),
    effect: 'read',
    execute: async () => 'ok',
  });
  const deep = `{"value":${'['.repeat(5000)}${']'.repeat(5000)}}`;
  expect(readCall(call('anything', deep), new Map([['anything', anything]]))).toMatchObject({ kind: 'invalid' });
});

test('a tool that takes any parameter is offered as one', () => {
  const open: Tool = { ...write, parameters: { type: 'object' } };
  expect(offeredTool(open).parameters['additionalProperties']).toBe(true);
  expect(offeredTool(write).parameters['additionalProperties']).not.toBe(true);
});

test('risk and summary are offered first, and only where they make sense', () => {
  expect(names(write)).toEqual(['security_risk', 'summary', 'text', 'times']);
  expect(names(summarise)).toEqual(['summary']);
  expect(offeredTool(write).parameters['required']).toEqual(['text']);
});

test.for([
  [`{"text":${'['.repeat(50_000)}${']'.repeat(50_000)}}`, 'more than 500 levels'],
  [`{'text':${"{'a':".repeat(50_000)}1${'}'.repeat(50_000)}}`, 'more than 500 levels'],
  [`{"text":[${'[],'.repeat(500_000)}1]}`, 'more than 20000 values'],
  [`{"text":"${'a'.repeat(4_000_000)}"}`, 'more than 4000000 characters'],
  [`{'text':${'f('.repeat(9000)}}`, 'not a JSON object'],
] as const)('arguments that are too large, %.20s…, are a problem for the model: %s', ([args, problem]) => {
  const read = readCall(call('write', args), tools);
  expect(read).toMatchObject({ kind: 'invalid', problem: expect.stringContaining(problem) as unknown });
});
