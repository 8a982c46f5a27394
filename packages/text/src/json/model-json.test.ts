import fc from 'fast-check';
import { expect, test } from 'vitest';
import { readModelJson } from './model-json.ts';

test.for<[string, unknown]>([
  ['{"text": "a\nb\tc"}', { text: 'a\nb\tc' }],
  ['{"text": null}', { text: null }],
  ["{'text': 'it is \"a\"'}", { text: 'it is "a"' }],
  [String.raw`{'text': 'it\'s'}`, { text: "it's" }],
  ['{"text": "a",}', { text: 'a' }],
  ['["a", "b",]', ['a', 'b']],
  ['{"text": "a" "times": 2}', { text: 'a', times: 2 }],
  ['{"times": 2\n"text": "a"}', { times: 2, text: 'a' }],
  ['{"done": True, "left": None}', { done: true, left: null }],
  ['{text: "a", more: {"x": [1, -2.5e1]}}', { text: 'a', more: { x: [1, -25] } }],
  ['```json\n{"text": "a"}\n```', { text: 'a' }],
  ['{"text": "a"}}]', { text: 'a' }],
  ['{"__proto__": 1, "n": 9007199254740992,}', JSON.parse('{"__proto__": 1, "n": 9007199254740992}')],
  [String.raw`{"text": "sed 's/1\.5/\d/' \"f\""}`, { text: String.raw`sed 's/1\.5/\d/' "f"` }],
  [String.raw`{"text": "C:\work\app.txt"}`, { text: String.raw`C:\work\app.txt` }],
  ['{"text": "ls \\\n-la"}', { text: 'ls \\\n-la' }],
  [String.raw`{"text": "C:\users"}`, { text: String.raw`C:\users` }],
])('%j is read', ([text, value]) => {
  expect(readModelJson(text)).toEqual({ value });
});

test.for([
  [String.raw`{"path": "C:\work\new"}`, 'there is a backslash with more than one meaning at character 18 in path'],
  [String.raw`{"a": "\d", "b": "x\ny"}`, 'there is a backslash with more than one meaning at character 20 in b'],
  [String.raw`{"a": "\\n \."}`, 'there is a backslash with more than one meaning at character 12 in a'],
  [String.raw`{"a": "it\'s"}`, 'there is a backslash with more than one meaning at character 10 in a'],
  [String.raw`{"a": "\u00e"}`, 'there is a backslash with more than one meaning at character 8 in a'],
  [String.raw`{'a': '\x1b'}`, 'there is a backslash with more than one meaning at character 8 in a'],
  ['{"n": }', 'there is no value at character 7 in n'],
  ['{"n": 1.0e}', 'there is no value at character 7 in n'],
  ['{"n": [1,,2]}', 'there is no value at character 10 in n'],
  ['{"n": undefined}', 'there is no value at character 7 in n'],
  ['{"n": 12345678901234567890}', 'a number has too many digits at character 7 in n'],
  ['{"n": 1e999}', 'a number has too many digits at character 7 in n'],
  ['{"a": {"b": 1, "b": 2,}}', 'there is a second b at character 16 in a'],
  ['{"command": "echo "hi" there"}', 'there is neither a comma nor the end of the object at character 20'],
  ['{"command": "echo " "a": "b"}', 'there is neither a comma nor the end of the object at character 21'],
  ['{"command": "echo ", done: "z"}', 'there is a key in another notation at character 22'],
  ['{"a": "b" /* c */}', 'there is neither a comma nor the end of the object at character 11'],
  ["{'a': 'b' + 'c'}", 'there is neither a comma nor the end of the object at character 11'],
  ['["a" "b"]', 'there is neither a comma nor a bracket at character 6'],
  ['{"text": "a', 'the text ends at character 12 in text'],
  ['{"text": ["a", "b"', 'the text ends at character 19 in text'],
  ['{"text": "a"}{"text": "b"}', 'there is more text at character 14'],
  ['I call it with {"text": "a"}', 'there is no object'],
  ['nonsense', 'there is no object'],
])('%s is not read: %s', ([text = '', problem]) => {
  expect(readModelJson(text)).toEqual({ problem });
});

/** Signs of JSON, of what resembles it, and of commands. */
const pieces = ['\\\\', '```', '/*', '//', ...Array.from('{}[]:,"\'\\ \n\t`(#')];
const words = ['null', 'None', 'True', 'undefined', '"a":', "'b':", 'c:', ...Array.from('aw1.é$-')];
const anyText = fc.array(fc.constantFrom(...pieces, ...words), { maxLength: 14 }).map((all) => all.join(''));
const mangled = fc
  .tuple(
    fc.dictionary(anyText, fc.oneof(anyText, fc.integer(), fc.array(anyText)), { minKeys: 1 }),
    anyText,
    fc.nat(),
    fc.nat(2),
  )
  .map(([value, inserted, place, removed]) => {
    const json = JSON.stringify(value).replaceAll(/\\(?=[^"])/g, '');
    const at = place % json.length;
    return json.slice(0, at) + inserted + json.slice(at + removed);
  });

/** All characters that are not notation, sorted, as names that are numbers come first in an object. */
function characters(text: string): readonly string[] {
  const named = text.replaceAll('True', 'true').replaceAll('None', 'null');
  return Array.from(named.replaceAll(/[\s{}[\]:,"'`);]/g, '')).toSorted();
}

function textsIn(value: unknown): string {
  if (typeof value !== 'object' || value === null) return String(value);
  return Object.entries(value)
    .map(([key, item]) => (Array.isArray(value) ? '' : key) + textsIn(item))
    .join('');
}

function isJson(text: string): boolean {
  try {
    JSON.parse(text);
    return true;
  } catch {
    return false;
  }
}

test('no repair adds, drops or changes a character of a name or a value', () => {
  let read = 0;
  fc.assert(
    fc.property(
      fc.oneof(
        anyText.map((text) => `{"a": "${text}"}`),
        anyText.map((text) => `{${text}}`),
        mangled,
      ),
      (text) => {
        // Escapes have other characters than their texts, and JSON that repeats a name needs no repair.
        fc.pre(!/\\["'\\/bfnrtu]/.test(text) && !isJson(text));
        const result = readModelJson(text);
        if (!('value' in result)) return;
        read += 1;
        expect(characters(textsIn(result.value))).toEqual(characters(text));
      },
    ),
    { numRuns: 3000 },
  );
  expect(read).toBeGreaterThan(300);
});

/** Ways to write a value, each with its repairs. */
const notations: Readonly<Record<string, (value: unknown) => string>> = {
  'JSON with raw control characters': (value) =>
    JSON.stringify(value).replaceAll(/\\(.)/g, (escape, sign) => ({ n: '\n', t: '\t' })[String(sign)] ?? escape),
  'JSON in a fence': (value) => `\`\`\`json\n${JSON.stringify(value)}\n\`\`\``,
  'JSON with surplus brackets': (value) => `${JSON.stringify(value)}}]`,
  'single quotes': (value) => single(value),
  'surplus commas': (value) => JSON.stringify(value, undefined, 1).replaceAll(/(?<=[^[{,\n])\n(\s*[\]}])/g, ',\n$1'),
};

function single(value: unknown): string {
  if (typeof value === 'string') {
    return `'${JSON.stringify(value)
      .slice(1, -1)
      .replaceAll('\\"', '"')
      .replaceAll("'", String.raw`\'`)}'`;
  }
  if (Array.isArray(value)) return `[${value.map(single).join(', ')}]`;
  if (typeof value !== 'object' || value === null) {
    return value === null ? 'None' : value === true ? 'True' : value === false ? 'False' : JSON.stringify(value);
  }
  return `{${Object.entries(value)
    .map(([key, item]) => `${single(key)}: ${single(item)}`)
    .join(', ')}}`;
}

test.for(Object.keys(notations))('%s has the value that was written', (name) => {
  const text = fc.oneof(fc.string(), anyText);
  const values = fc.dictionary(text, fc.oneof(text, fc.jsonValue({ maxDepth: 2 })), { minKeys: 1 });
  fc.assert(
    fc.property(values, (value) => {
      const written = notations[name]?.(value) ?? '';
      expect(readModelJson(written)).toEqual({ value: JSON.parse(JSON.stringify(value)) });
    }),
    { numRuns: 300 },
  );
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
  'missing commas after texts': (size) => `{${Array.from({ length: size / 9 }, (_, at) => `"${at}":"b" `).join('')}}`,
  numbers: (size) => `{'a':${'1'.repeat(size)}}`,
  'white space': (size) => `${' '.repeat(size)}{'a':1}${' '.repeat(size)}x`,
  'many values': (size) => `{'a':[${'[],'.repeat(size)}]}`,
};

test.for(Object.keys(hostile))('%s of any size end no process, and keep it busy for a moment', (name) => {
  for (const size of [200, 3000, 50_000, 1_000_000]) {
    expect(readModelJson(hostile[name]?.(size) ?? '', { depth: 500, values: 20_000 })).toBeTypeOf('object');
  }
});
