import { existsSync, readdirSync, readFileSync } from 'node:fs';
import { describe, expect, test } from 'vitest';
import { builtinKinds, eventCodec, isOpaque } from './index.ts';
import { logContract, type Log } from './testing/index.ts';

const codec = eventCodec(builtinKinds);

/** Conversations that the reference wrote: a folder per conversation, a file per event. Not part of this repository. */
const folder =
  ['../../../../', '../../../../../']
    .map((up) => new URL(`${up}shared/fixtures/openhands-conversations/`, import.meta.url))
    .find((url) => existsSync(url)) ?? new URL('none/', import.meta.url);
const conversations = existsSync(folder) ? readdirSync(folder) : [];

function logOfFolder(conversation: string): Log {
  const events = new URL(`${conversation}/events/`, folder);
  const names = readdirSync(events).filter((name) => name.endsWith('.json'));
  return names.toSorted().map((name, seq) => {
    const text = readFileSync(new URL(name, events), 'utf8');
    const { id, parent_id, kind } = JSON.parse(text) as { id: string; parent_id?: string; kind: string };
    return { seq, id, kind, parentId: parent_id, text };
  });
}

describe.runIf(conversations.length > 0).for(conversations)('%s', (conversation) => {
  const log = logOfFolder(conversation);

  test('every event is typed, and written again in the same order', () => {
    for (const { text } of log) {
      const event = codec.decode(text);
      expect(isOpaque(event)).toBe(false);
      // Field order included; but the reference writes 8.0 where JavaScript writes 8.
      expect(codec.encode(event)).toBe(JSON.stringify(JSON.parse(text)));
    }
  });

  test.for(logContract)('$title', (check) => check.run(log, codec));
});

test('a conversation that the reference wrote is readable without any of its fields of today', () => {
  const text =
    '{"id":"e0","timestamp":"2026-01-01T12:00:00","source":"user","llm_message":{"role":"user","content":"hi"},"kind":"MessageEvent"}';
  expect(codec.encode(codec.decode(text))).toContain('"text":"hi"');
});
