import { readdirSync, readFileSync } from 'node:fs';
import { describe, expect, test } from 'vitest';
import { eventCodec, isOpaque } from '../src/index.ts';
import { builtinKinds } from '../src/kinds/index.ts';
import { type Log } from '../src/testing/index.ts';
import { logContract } from './log-contract.ts';

const codec = eventCodec(builtinKinds);

/** Conversations in the form of the reference: one folder per conversation, one file per event. */
const folder = new URL('../../../tests/fixtures/openhands-conversations/', import.meta.url);

function logOfFolder(conversation: string): Log {
  const events = new URL(`${conversation}/events/`, folder);
  const names = readdirSync(events).filter((name) => name.endsWith('.json'));
  return names.toSorted().map((name, seq) => {
    const text = readFileSync(new URL(name, events), 'utf8');
    const { id, parent_id, kind } = JSON.parse(text) as { id: string; parent_id?: string; kind: string };
    return { seq, id, kind, parentId: parent_id, text };
  });
}

describe.for(readdirSync(folder))('%s', (conversation) => {
  const log = logOfFolder(conversation);

  test('every event is typed, and encoded in the same order', () => {
    for (const { text } of log) {
      const event = codec.decode(text);
      expect(isOpaque(event)).toBe(false);
      // Including the field order. The reference writes 8.0 where JavaScript writes 8.
      expect(codec.encode(event)).toBe(JSON.stringify(JSON.parse(text)));
    }
  });

  test.for(logContract)('$title', (check) => check.run(log, codec));
});

test('records of the first version of the reference are kept byte for byte as opaque events', () => {
  const text = readFileSync(new URL('fixtures/v0-trajectory.json', import.meta.url), 'utf8');
  const records = (JSON.parse(text) as readonly unknown[]).map((record) => JSON.stringify(record, undefined, 2));
  const events = records.map((record) => codec.read(record));
  expect(events.length).toBeGreaterThan(0);
  expect(events.map((event) => isOpaque(event) && event.problem)).toEqual(
    events.map(() => 'The JSON has no kind and id, so it is not an event.'),
  );
  expect(events.map((event) => codec.encode(event))).toEqual(records);
});

test('a conversation of an old reference version is readable', () => {
  const text =
    '{"id":"e0","timestamp":"2026-01-01T12:00:00","source":"user","llm_message":{"role":"user","content":"hi"},"kind":"MessageEvent"}';
  expect(codec.encode(codec.decode(text))).toContain('"text":"hi"');
});
