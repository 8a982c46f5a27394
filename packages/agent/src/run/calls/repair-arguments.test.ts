import fc from 'fast-check';
import { expect, test } from 'vitest';
import { fileEditor, terminal, type Tool } from '@varve/tools';
import { countingTool } from '../../testing/counting-tool.ts';
import { resolveToolName } from './read-call.ts';
import { parseArguments } from './repair-arguments.ts';

const fieldsOf = (json: string): unknown => {
  const parsed = parseArguments(json);
  return 'fields' in parsed ? parsed.fields : undefined;
};

test.for<[string, Record<string, unknown>]>([
  ['{"text": "a\nb"}', { text: 'a\nb' }],
  ['"{\\"text\\": \\"a\\"}"', { text: 'a' }],
  [String.raw`{"text": "s/1\.5/2.0/"}`, { text: String.raw`s/1\.5/2.0/` }],
  ['```json\n{"text": "a"}\n```', { text: 'a' }],
])('%j is parsed', ([json, fields]) => {
  expect(fieldsOf(json)).toEqual(fields);
});

test.for([
  ['', 'there is no object'],
  ['[1]', undefined],
  ['"text"', 'there is no object'],
  ['{"text": "a', 'the text ends at character 12 in text'],
])('%j is not an object: %s', ([json = '', problem]) => {
  expect(parseArguments(json)).toEqual(problem === undefined ? {} : { problem });
});

test('no prefix of a truncated text is repaired', () => {
  const texts = fc
    .dictionary(fc.string(), fc.jsonValue({ maxDepth: 2 }), { minKeys: 1 })
    .map((value) => JSON.stringify(value));
  fc.assert(
    fc.property(texts, fc.nat(), (json, cut) => {
      expect(fieldsOf(json.slice(0, cut % json.length))).toBeUndefined();
    }),
    { numRuns: 200 },
  );
});

test('valid JSON keeps its value, even with malformed content inside its strings', () => {
  fc.assert(
    fc.property(fc.dictionary(fc.string(), fc.string()), (fields) => {
      expect(fieldsOf(JSON.stringify(fields))).toEqual({ ...fields });
    }),
    { numRuns: 200 },
  );
});

const named = (...names: string[]) =>
  new Map<string, Tool>(
    names.map((name) => [
      name,
      { ...countingTool({ name }).tool(), ...(name === 'terminal' && { aliases: ['bash'] }) },
    ]),
  );

const meant = (name: string, ...offered: string[]) => resolveToolName(name, named(...offered))?.name;

test('a name resolves to the tool of that name before any alias', () => {
  expect(meant('bash', 'bash', 'terminal')).toBe('bash');
  expect(meant('bash', 'terminal')).toBe('terminal');
  expect(meant('terminal<|channel|>json', 'terminal')).toBe('terminal');
  expect(meant('git-push', 'git')).toBeUndefined();
  expect(meant('read.remote', 'read')).toBeUndefined();
  expect(meant('str_replace_editor', 'terminal')).toBeUndefined();
  expect(meant('constructor', 'terminal')).toBeUndefined();
  expect(meant('', 'terminal')).toBeUndefined();
});

test('the names that models know from other agents resolve to the built-in tools', () => {
  const tools = new Map([terminal(), fileEditor()].map((tool): [string, Tool] => [tool.name, tool]));
  const aliases = ['bash', 'command', 'execute', 'execute_bash', 'run_command', 'shell'];
  expect(aliases.map((alias) => resolveToolName(alias, tools)?.name)).toEqual(aliases.map(() => 'terminal'));
  const editors = ['str_replace', 'str_replace_editor', 'str_replace_based_edit_tool'];
  expect(editors.map((alias) => resolveToolName(alias, tools)?.name)).toEqual(editors.map(() => 'file_editor'));
});
