import fc from 'fast-check';
import { expect, test } from 'vitest';
import { eventCodec } from '../codec.ts';
import { text } from '../content.ts';
import { builtinKinds } from '../kinds/builtin-kinds.ts';
import type { Message } from '../message.ts';
import { foldEvents, checkMessages, messageBuilder, viewProjection, withCacheMarks } from '../projections/index.ts';
import { arbitraryLog, type Log } from '../testing/index.ts';

const message = (role: Message['role'], ...texts: readonly string[]): Message => ({
  role,
  content: texts.map(text),
  thinking_blocks: [],
});
const marks = (messages: readonly Message[]) =>
  withCacheMarks(messages).map(({ content }) => content.map(({ cache_prompt: mark }) => mark));

test('the static part of the prompt and the end of the last message are marked', () => {
  const messages = [message('system', 'static', 'dynamic'), message('user', 'a', 'b'), message('assistant', 'c')];
  expect(marks(messages)).toEqual([[true, false], [false, true], [false]]);
});

test('a result at the end is marked like a message', () => {
  expect(marks([message('user', 'a'), message('assistant', 'b'), message('tool', 'c')])).toEqual([
    [false],
    [false],
    [true],
  ]);
});

test('a system message that is not the first is not marked', () => {
  expect(marks([message('user', 'a'), message('system', 's'), message('user', 'b')])).toEqual([
    [false],
    [false],
    [true],
  ]);
});

test('stored marks are removed', () => {
  const stored: Message = { ...message('user'), content: [{ ...text('a'), cache_prompt: true }, text('b')] };
  expect(marks([stored, message('assistant', 'x'), message('user', 'c')])).toEqual([[false, false], [false], [true]]);
  expect(stored.content[0]?.cache_prompt).toBe(true);
});

test('a last message without blocks has no mark', () => {
  expect(marks([message('user', 'a'), message('tool')])).toEqual([[false], []]);
  expect(marks([])).toEqual([]);
});

test('unchanged messages are the same objects', () => {
  const messages = [message('user', 'a'), message('assistant', 'b'), message('user', 'c')];
  expect(withCacheMarks(messages)[0]).toBe(messages[0]);
  expect(withCacheMarks(messages)[1]).toBe(messages[1]);
});

test('for any log, only marks change', () => {
  const codec = eventCodec(builtinKinds);
  fc.assert(
    fc.property(arbitraryLog<fc.Arbitrary<Log>>(fc, { maxEvents: 30 }), (log) => {
      const view = foldEvents(
        viewProjection(codec),
        log.map((entry) => codec.read(entry.text)),
      );
      const messages = messageBuilder(codec)(view.events);
      const sent = withCacheMarks(messages);
      expect(checkMessages(sent)).toEqual([]);
      expect(marks(messages).flat().filter(Boolean).length).toBeLessThanOrEqual(2);
      const unmarked = JSON.stringify(messages).replaceAll('"cache_prompt":true', '"cache_prompt":false');
      expect(JSON.stringify(sent).replaceAll('"cache_prompt":true', '"cache_prompt":false')).toBe(unmarked);
    }),
    { numRuns: 60 },
  );
});
