import { textOf } from '@varve/events';
import { expect, test } from 'vitest';
import { z } from 'zod';
import { defineTool } from './define-tool.ts';
import { defaultTools, minimalTools, planningTools } from '../presets.ts';
import { openedTool } from '../testing/opened-tool.ts';

const execute = async (): Promise<string> => '';
const base = { name: 'probe', description: 'For tests.', effect: 'read' } as const;

test('what a tool throws reaches the caller as it is', async () => {
  const bug = new TypeError('A bug.');
  await using probe = await openedTool(
    defineTool({ ...base, input: z.object({}), execute: () => Promise.reject(bug) }),
  );
  await expect(probe.call({})).rejects.toBe(bug);
});

test('a call that ends because its signal aborted is aborted, whatever it throws for that', async () => {
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

test('a result is shown as text, as JSON or as the tool presents it', async () => {
  const input = z.object({});
  await using asText = await openedTool(defineTool({ ...base, input, execute: async () => 'text' }));
  await using asJson = await openedTool(defineTool({ ...base, input, execute: async () => ({ a: 1 }) }));
  await using presented = await openedTool(
    defineTool({ ...base, input, execute: async () => 2, present: (two) => `It is ${two}.` }),
  );
  const shown = await Promise.all([asText, asJson, presented].map((probe) => probe.call({})));
  expect(shown.map(({ content }) => textOf(content))).toEqual(['text', '{"a":1}', 'It is 2.']);
});

test('a loose schema keeps unknown fields, every other rejects them', () => {
  const strict = defineTool({ ...base, input: z.object({ a: z.string() }), execute });
  const loose = defineTool({ ...base, input: z.looseObject({ a: z.string() }), execute });
  expect(() => strict.parse({ a: 'x', b: 1 })).toThrow(/"b"/);
  expect(loose.parse({ a: 'x', b: 1 })).toEqual({ a: 'x', b: 1 });
});

test('literals and unions reach the model with the keywords it knows', () => {
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

test('the tools of a coding agent have the names and kinds of the reference', () => {
  const named = defaultTools().map(({ name, definition }) => [
    name,
    definition.kind,
    definition['action_type'],
    definition['observation_type'],
  ]);
  expect(named).toEqual([
    ['terminal', 'TerminalTool', 'TerminalAction', 'TerminalObservation'],
    ['file_editor', 'FileEditorTool', 'FileEditorAction', 'FileEditorObservation'],
    ['task_tracker', 'TaskTrackerTool', 'TaskTrackerAction', 'TaskTrackerObservation'],
    ['think', 'ThinkTool', 'ThinkAction', 'ThinkObservation'],
    ['finish', 'FinishTool', 'FinishAction', 'FinishObservation'],
  ]);
});

test('the tools of a planning agent can change nothing but the plan', () => {
  const named = planningTools().map(({ name, definition, annotations }) => [
    name,
    definition.kind,
    annotations.readOnlyHint,
  ]);
  expect(named).toEqual([
    ['glob', 'GlobTool', true],
    ['grep', 'GrepTool', true],
    ['planning_file_editor', 'PlanningFileEditorTool', false],
    ['think', 'ThinkTool', true],
    ['finish', 'FinishTool', true],
  ]);
});

test('the least tools are a shell, an editor and the end', () => {
  expect(minimalTools().map(({ name }) => name)).toEqual(['terminal', 'file_editor', 'finish']);
});

test('descriptions name the limits that are set', () => {
  const [shell, editor] = defaultTools({
    terminal: { noChangeTimeoutMs: 7000, maxOutputChars: 123 },
    fileEditor: { maxViewChars: 456 },
  });
  expect(shell?.description).toMatch(/7 s[\s\S]*123 characters/);
  expect(editor?.description).toContain('456 characters');
});
