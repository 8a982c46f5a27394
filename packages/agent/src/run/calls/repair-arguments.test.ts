import fc from 'fast-check';
import { expect, test } from 'vitest';
import { fileEditor, terminal, type Tool } from '@varve/tools';
import { countingTool } from '../../testing/counting-tool.ts';
import { resolveToolName } from './read-call.ts';
import { parseArguments, parseNested } from './repair-arguments.ts';

test.for<[string, Record<string, unknown>]>([
  ['{"text": "a\nb"}', { text: 'a\nb' }],
  ['{"text": null}', { text: null }],
  ['"{\\"text\\": \\"a\\"}"', { text: 'a' }],
  ["{'text': 'it is \"a\"'}", { text: 'it is "a"' }],
  ['{"text": "a",}', { text: 'a' }],
  ['{"text": "a" "times": 2}', { text: 'a', times: 2 }],
  ['{"done": True, "left": None}', { done: true, left: null }],
  ['{text: "a"}', { text: 'a' }],
  ['```json\n{"text": "a"}\n```', { text: 'a' }],
  ['{"text": "a"}}', { text: 'a' }],
  ['{"text": "a"}]', { text: 'a' }],
])('%j is parsed', ([json, fields]) => {
  expect(parseArguments(json)).toEqual(fields);
});

test.for([
  '',
  'nonsense',
  '[1]',
  '"text"',
  '{"text": "a',
  '{"text": "a"',
  '{"text": ["a", "b"',
  '{"text": "if (a) { b }',
  "{'text': 'a }",
  '{"text": "a"}{"text": "b"}',
  'I call it with {"text": "a"}',
])('%j is truncated, or not a single object: it is not repaired', (json) => {
  expect(parseArguments(json)).toBeUndefined();
});

test('no prefix of a truncated text is repaired', () => {
  const texts = fc
    .dictionary(fc.string(), fc.jsonValue({ maxDepth: 2 }), { minKeys: 1 })
    .map((value) => JSON.stringify(value));
  fc.assert(
    fc.property(texts, fc.nat(), (json, cut) => {
      expect(parseArguments(json.slice(0, cut % json.length))).toBeUndefined();
    }),
    { numRuns: 200 },
  );
});

test('valid JSON keeps its value, even with malformed content inside its strings', () => {
  fc.assert(
    fc.property(fc.dictionary(fc.string(), fc.string()), (fields) => {
      expect(parseArguments(JSON.stringify(fields))).toEqual({ ...fields });
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

test('an object in a string is repaired as arguments are, a list is parsed', () => {
  expect(parseNested("{'a': 1}")).toEqual({ a: 1 });
  expect(parseNested('["a"]')).toEqual(['a']);
  expect(parseNested("['a']")).toBeUndefined();
});

test('a name resolves to the tool of that name before any alias', () => {
  expect(meant('bash', 'bash', 'terminal')).toBe('bash');
  expect(meant('bash', 'terminal')).toBe('terminal');
  expect(meant('terminal<|channel|>json', 'terminal')).toBe('terminal');
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

/** Texts of any length that are not JSON, among them the worst for a repair. */
const hostile: Readonly<Record<string, (size: number) => string>> = {
  'nested objects': (size) => `${"{'a':".repeat(size)}1${'}'.repeat(size)}`,
  'nested lists': (size) => `{'a':${'['.repeat(size)}${']'.repeat(size)}}`,
  'nested calls': (size) => `{'a':${'f('.repeat(size)}}`,
  'nested calls, closed': (size) => `{'a':${'f('.repeat(size)}1${')'.repeat(size)}}`,
  'nested JSON in a string': (size) => JSON.stringify(`${"{'a':".repeat(size)}1${'}'.repeat(size)}`),
  'nested JSON': (size) => `${'{"a":'.repeat(size)}1${'}'.repeat(size)}`,
  'concatenated strings': (size) => `{'a':${"'a'+".repeat(size)}'b'}`,
  'missing commas': (size) => `{${'a:1 '.repeat(size)}}`,
  'missing quotes': (size) => `{${'"a":"b, '.repeat(size)}}`,
  quotes: (size) => `{"a":"${'"'.repeat(size)}"}`,
  'quotes and line ends': (size) => `{"a":"${'"\n'.repeat(size)}}`,
  'surplus commas': (size) => `{${'"a":[1,],'.repeat(size)}}`,
  'control characters': (size) => `{"a":"${'\n'.repeat(size)}`,
  backslashes: (size) => `{'a':"${'\\'.repeat(size)}"}`,
  'a code fence': (size) => `${'```json\n'.repeat(size)}{}`,
  'white space': (size) => `${' '.repeat(size)}{'a':1}${' '.repeat(size)}x`,
  'many values': (size) => `{'a':[${'[],'.repeat(size)}]}`,
};

test.for(Object.keys(hostile))('%s of any size end no process, and keep it busy for a moment', (name) => {
  for (const size of [200, 3000, 50_000, 1_000_000]) {
    const fields = parseArguments(hostile[name]?.(size) ?? '');
    expect(fields === undefined || typeof fields === 'object').toBe(true);
  }
});
