import fc from 'fast-check';
import { expect, test } from 'vitest';
import * as z from 'zod';
import { defineEvent, eventCodec, text, type BaseEvent } from '../src/index.ts';
import { builtinKinds, MessageEvent } from '../src/kinds/index.ts';
import type { Payload } from '../src/payloads/index.ts';
import { arbitraryLog, eventFactory, type Log } from '../src/testing/index.ts';
import { edgeCaseTexts } from '../src/testing/edge-cases.ts';
import { callLines, eventLines, eventText, condenserLines } from '../src/text/index.ts';
import { recordExamples } from './record-examples.ts';

const codec = eventCodec(builtinKinds);
const mark = (name: string, value: string): string => `<${name}>${value}</${name}>`;
const unsafe = new RegExp(String.raw`[\u0000-\u0009\u000b-\u001f\u007f-\u009f\u2028\u2029\u202a-\u202e]`);
const linesOf = (event: BaseEvent): string =>
  [...eventLines(event), ...condenserLines(event)].map((line) => line.text).join('\n');

/** Returns an event with this record: the record itself, or a call or result with the payload. */
function eventWith(record: BaseEvent | Payload): BaseEvent {
  if ('timestamp' in record) return record as BaseEvent;
  const { call, result } = eventFactory();
  if (!record.kind.endsWith('Observation')) return call('1', 'r', { action: record });
  call('1');
  return codec.decode(JSON.stringify({ ...result(0), observation: record }));
}

test('every kind and every payload is rendered as in the golden file', async () => {
  const rendered = recordExamples()
    .toSorted(([left], [right]) => (left < right ? -1 : 1))
    .map(([, record]) => eventWith(record))
    .map((event) => `${linesOf(event)}\n\n${eventText(event)}\n`);
  await expect(rendered.join('\n---\n\n')).toMatchFileSnapshot('golden/events.txt');
});

test('any event of a log is rendered without control characters', () => {
  fc.assert(
    fc.property(arbitraryLog<fc.Arbitrary<Log>>(fc, { maxEvents: 20 }), (log) => {
      for (const { text: line } of log) {
        const event = codec.read(line);
        expect(linesOf(event)).not.toMatch(unsafe);
        expect(eventText(event)).not.toMatch(unsafe);
      }
    }),
    { numRuns: 100 },
  );
});

test('an event of an unknown kind is rendered as JSON', () => {
  const event = codec.decode('{"id":"e1","source":"user","later":[1],"kind":"InventedEvent"}');
  expect(linesOf(event)).toBe('InventedEvent (preserved)');
  expect(eventText(event)).toContain('InventedEvent  user  e1\n{\n  "id": "e1"');
});

test('an event of a custom kind is rendered as JSON', () => {
  const Rating = defineEvent('Rating', { source: 'user', fields: () => ({ stars: z.number() }) });
  const event = Rating.create({ stars: 5 }, { id: '00000000-0000', timestamp: '2026-02-03T04:05:06.000007' });
  expect(eventText(event)).toContain('"stars": 5');
});

test('an invalid event is rendered with its problem and its JSON', () => {
  const event = codec.read('{"id":"e1","kind":"MessageEvent"}');
  expect(eventText(event).split('\n').slice(1)).toEqual([
    expect.stringContaining('is not valid'),
    '{',
    '  "id": "e1",',
    '  "kind": "MessageEvent"',
    '}',
  ]);
});

test('deeply nested JSON is rendered without indentation', () => {
  for (const depth of [1000, 50_000]) {
    const deep = `{"id":"e1","kind":"X","a":${'['.repeat(depth)}${']'.repeat(depth)}}`;
    expect(eventText(codec.read(deep)).length).toBeLessThan(deep.length + 100);
  }
});

test('marks surround headings and labels', () => {
  expect(eventText(eventFactory().user('hi'), { mark })).toMatch(
    /^<heading>MessageEvent  user .*<\/heading>\n<label>llm_message:<\/label>\n/,
  );
});

test('images are rendered as their type and size', () => {
  const stamp = { id: '00000000-0000', timestamp: '2026-02-03T04:05:06.000007' };
  const urls = ['data:image/png;base64,AAAA', 'https://example.com/a.png'];
  const content = [text('Look:'), { type: 'image' as const, image_urls: urls }];
  const event = MessageEvent.create({ source: 'user', llm_message: { role: 'user', content } }, stamp);
  expect(eventText(event)).toContain(
    '    Look:\n    [image/png, 26 characters]\n    [image: https://example.com/a.png]',
  );
});

test('a call to approve is rendered uncut, with invisible characters as numbers', () => {
  const command = `echo \u202e1\u001b[2J\n${'x\n'.repeat(20)}end`;
  const event = eventFactory().call('1', 'r', { action: { command, kind: 'TerminalAction' } });
  const [line] = callLines(event);
  expect(line?.text).toMatch(/^\$ echo <202E>1<001B>\[2J\n(x\n){20}end$/);
});

test('calls with edge case texts are rendered', () => {
  for (const command of edgeCaseTexts) {
    const event = eventFactory().call('1', 'r', { action: { command, kind: 'TerminalAction' } });
    expect(callLines(event)).toHaveLength(1);
  }
});

const edit = { kind: 'FileEditorAction', path: '/a' };
const task = { title: 'a', notes: '', status: 'todo' };

test.for<readonly [one: object, other: object]>([
  [{ command: 'ls' }, { command: 'ls\n' }],
  [{ command: 'ls' }, { command: 'ls ' }],
  [{ command: 'ls' }, { command: 'ls', is_input: true }],
  [{ command: 'ls' }, { command: 'ls', reset: true }],
  [{ command: 'ls' }, { command: 'ls', timeout: 5 }],
  [
    { ...edit, command: 'view' },
    { ...edit, command: 'view', path: '/a\n' },
  ],
  [
    { ...edit, command: 'view' },
    { ...edit, command: 'view', view_range: [1, 5] },
  ],
  [
    { ...edit, command: 'view' },
    { ...edit, command: 'undo_edit' },
  ],
  [
    { ...edit, command: 'create', file_text: 'x' },
    { ...edit, command: 'create', file_text: 'x\n' },
  ],
  [
    { ...edit, command: 'insert', insert_line: 0, new_str: 'x' },
    { ...edit, command: 'insert', insert_line: 1, new_str: 'x' },
  ],
  [
    { ...edit, command: 'str_replace', old_str: 'x' },
    { ...edit, command: 'str_replace', old_str: 'x\n' },
  ],
  [
    { ...edit, command: 'str_replace', old_str: 'x' },
    { ...edit, command: 'str_replace', old_str: 'x', new_str: 'y' },
  ],
  [
    { kind: 'TaskTrackerAction', command: 'plan', task_list: [task] },
    { kind: 'TaskTrackerAction', command: 'plan', task_list: [{ ...task, notes: 'b' }] },
  ],
])('the calls %j and %j differ when they are to be approved', ([left, right]) => {
  const [rows, others] = [left, right].map((action) =>
    callLines(eventFactory().call('1', 'r', { action: { kind: 'TerminalAction', ...action } })),
  );
  expect(rows).not.toEqual(others);
});
