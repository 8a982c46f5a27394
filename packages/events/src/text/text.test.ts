import fc from 'fast-check';
import { readdirSync, readFileSync } from 'node:fs';
import { expect, test } from 'vitest';
import { z } from 'zod';
import { defineEvent, eventCodec, text } from '../index.ts';
import { builtinKinds, MessageEvent, type ActionEvent, type ObservationEvent } from '../kinds/index.ts';
import { MCPToolAction, TaskTrackerObservation, TerminalObservation, type Payload } from '../payloads/index.ts';
import { arbitraryLog, edgeCaseTexts, eventFactory, type Log } from '../testing/index.ts';
import { eventLine, eventText, safeText } from './index.ts';

const codec = eventCodec(builtinKinds);
const golden = new URL('../../test/golden/records/', import.meta.url);
const texts = readdirSync(golden)
  .toSorted()
  .map((name) => readFileSync(new URL(name, golden), 'utf8').trimEnd());
const lineBreaksAndControls = new RegExp(String.raw`[\u0000-\u001f\u007f-\u009f\u2028\u2029\u202a-\u202e]`);
const controls = new RegExp(String.raw`[\u0000-\u0009\u000b-\u001f\u007f-\u009f\u2028\u2029\u202a-\u202e]`);

/** An action or a result with this payload. */
function withPayload(payload: Payload): string {
  const { call, result } = eventFactory();
  if (!payload.kind.endsWith('Observation')) return codec.encode(call('1', 'r', { action: payload }));
  call('1');
  const event = { ...result(0), observation: payload };
  return JSON.stringify(event);
}

const mark = (name: string, value: string): string => `<${name}>${value}</${name}>`;

test('every kind and every payload reads as the golden file says', async () => {
  const told = texts
    .map((line) => JSON.parse(line) as Payload & { readonly timestamp?: string })
    .map((json) => (json.timestamp === undefined ? withPayload(json) : JSON.stringify(json)))
    .map((line) => codec.decode(line))
    .map((event) => `${eventLine(event)}\n\n${eventText(event)}\n`);
  await expect(told.join('\n---\n\n')).toMatchFileSnapshot('../../test/golden/events.txt');
});

test('whatever a log holds has a line without line breaks and a text without controls', () => {
  fc.assert(
    fc.property(
      arbitraryLog<fc.Arbitrary<Log>>(fc, { maxEvents: 20 }),
      fc.integer({ min: 1, max: 200 }),
      (log, most) => {
        for (const { text: line } of log) {
          const event = codec.read(line);
          const short = eventLine(event, { maxLength: most });
          expect(short.length).toBeLessThanOrEqual(most);
          expect(short).not.toMatch(lineBreaksAndControls);
          expect(eventText(event)).not.toMatch(controls);
        }
      },
    ),
    { numRuns: 100 },
  );
});

test('an unknown kind shows its JSON', () => {
  const event = codec.decode('{"id":"e1","source":"user","later":[1],"kind":"InventedEvent"}');
  expect(eventLine(event)).toBe('InventedEvent {"id":"e1","source":"user","later":[1],"kind":"InventedEvent"}');
  expect(eventText(event)).toContain('InventedEvent  user  e1\n{\n  "id": "e1"');
});

test('a kind of your own shows its JSON', () => {
  const Rating = defineEvent('Rating', { source: 'user', fields: { stars: z.number() } });
  const event = Rating.create({ stars: 5 }, { id: '00000000-0000', timestamp: '2026-02-03T04:05:06.000007' });
  expect(eventLine(event)).toContain('Rating {"id":"00000000-0000"');
  expect(eventText(event)).toContain('"stars": 5');
});

test('what could not be read says why and shows what it is', () => {
  const event = codec.read('{"id":"e1","kind":"MessageEvent"}');
  expect(eventLine(event)).toMatch(/^unreadable MessageEvent: MessageEvent is not valid/);
  expect(eventText(event).split('\n').slice(1)).toEqual([
    expect.stringContaining('is not valid'),
    '{',
    '  "id": "e1",',
    '  "kind": "MessageEvent"',
    '}',
  ]);
});

test('text that is nested without end is shown as it is', () => {
  for (const depth of [1000, 50_000]) {
    const deep = `{"id":"e1","kind":"X","a":${'['.repeat(depth)}${']'.repeat(depth)}}`;
    expect(eventText(codec.read(deep)).length).toBeLessThan(deep.length + 100);
  }
});

test('marks stand around what they mean, and nowhere else', () => {
  const { user, call, error } = eventFactory();
  call('1');
  expect(eventLine(error('1'), { mark })).toBe('<error>terminal failed: No.</error>');
  expect(eventLine(user('hi'), { mark })).toBe('user: hi');
  expect(eventText(user('hi'), { mark })).toMatch(
    /^<heading>MessageEvent  user .*<\/heading>\n<label>llm_message:<\/label>\n/,
  );
});

test('a call tells what it is about, whatever its payload calls that', () => {
  const { call } = eventFactory();
  const line = (fields: object): string => eventLine(call('1', 'r', fields));
  expect(line({})).toBe('agent calls terminal: ls');
  expect(line({ action: { command: 'view', path: '/a', kind: 'FileEditorAction' } })).toBe(
    'agent calls terminal: view /a',
  );
  expect(line({ action: { file_path: '/a', kind: 'ReadFileAction' } })).toBe('agent calls terminal: /a');
  expect(line({ action: { index: 3, new_tab: false, kind: 'BrowserClickAction' } })).toBe('agent calls terminal: 3');
  expect(line({ action: MCPToolAction.create({ data: { q: 1 } }) })).toBe('agent calls terminal: {"q":1}');
  expect(line({ action: { kind: 'BrowserGoBackAction' } })).toBe('agent calls terminal: {}');
  expect(line({ security_risk: 'HIGH' })).toBe('agent calls terminal (high risk): ls');
});

test('a call that could not be resolved shows its arguments', () => {
  const { call } = eventFactory();
  const { action: _action, ...broken } = call('1', 'r', { arguments: '{"a":' });
  expect(eventLine(broken as ActionEvent)).toBe('agent calls in vain terminal: {"a":');
});

test('results tell what the model reads, on one line', () => {
  const { call, result } = eventFactory();
  call('1');
  const line = (observation: Payload): string => eventLine({ ...result(0), observation } as ObservationEvent);
  const metadata = { exit_code: 2, working_dir: '/w' };
  const content = [text('a\nb')];
  expect(line(TerminalObservation.create({ content, metadata }))).toBe('terminal: a b [directory: /w] [exit code: 2]');
  expect(line(TaskTrackerObservation.create({ command: 'view' }))).toBe('terminal: (no output)');
  expect(line(TerminalObservation.create({ content, is_error: true }))).toBe('terminal failed: a b');
});

test('images are counted in the line and described in the text', () => {
  const stamp = { id: '00000000-0000', timestamp: '2026-02-03T04:05:06.000007' };
  const urls = ['data:image/png;base64,AAAA', 'https://example.com/a.png'];
  const content = [text('Look:'), { type: 'image' as const, image_urls: urls }];
  const event = MessageEvent.create({ source: 'user', llm_message: { role: 'user', content } }, stamp);
  expect(eventLine(event)).toBe('user: [2 images] Look:');
  expect(eventText(event)).toContain(
    '    Look:\n    [image/png, 26 characters]\n    [image: https://example.com/a.png]',
  );
});

test.for([
  ['a\u001b[31mb\u001b[0mc', 'abc'],
  ['\u001b]0;title\u0007x', 'x'],
  ['\u001b]8;;http://a\u001b\\link', 'link'],
  ['\u001bPq...\u001b\\x', 'x'],
  ['\u001b(Bx', 'x'],
  ['\u001b]0;no end', '0;no end'],
  ['\u001bP\u001b[31mno end', 'no end'],
  ['\u009b2Jx', 'x'],
  ['a\r\nb\rc\u2028d', 'a\nb\nc\nd'],
  ['a\tb', 'a    b'],
  ['\u202eabc\u2066d', 'abcd'],
  ['a\u0000\u0007\u007fb', 'ab'],
  ['\ud83ea', '\ufffda'],
  ['\u001b', ''],
  ['é 漢字 🦊', 'é 漢字 🦊'],
] as const)('%j is shown as %j', ([raw, safe]) => {
  expect(safeText(raw)).toBe(safe);
});

test('odd texts stay short on a line', () => {
  const { user } = eventFactory();
  for (const odd of edgeCaseTexts) expect(eventLine(user(odd), { maxLength: 40 }).length).toBeLessThanOrEqual(40);
});

test('a line ends with an ellipsis only where something is missing', () => {
  const { user } = eventFactory();
  expect(eventLine(user('x'.repeat(114)))).toBe(`user: ${'x'.repeat(114)}`);
  expect(eventLine(user('x'.repeat(115)))).toBe(`user: ${'x'.repeat(113)}…`);
  expect(eventLine(user(`x${' '.repeat(5000)}y`))).toBe('user: x…');
});
