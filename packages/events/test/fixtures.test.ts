import { existsSync, readdirSync, readFileSync } from 'node:fs';
import { describe, expect, test } from 'vitest';
import { eventCodec, isOpaque } from '../src/index.ts';
import { builtinKinds } from '../src/kinds/index.ts';
import { logContract, type Log } from '../src/testing/index.ts';

const codec = eventCodec(builtinKinds);

/** Conversations of the reference, which are not part of this repository. */
const fixtures =
  ['../../../../', '../../../../../']
    .map((up) => new URL(`${up}shared/fixtures/`, import.meta.url))
    .find((url) => existsSync(url)) ?? new URL('none/', import.meta.url);
/** One folder per conversation, one file per event. */
const folder = new URL('openhands-conversations/', fixtures);
/** Logs of the reference's first version: one list per file, in another format. */
const trajectories = new URL('v0-trajectories/', fixtures);
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

describe.runIf(existsSync(trajectories)).for(existsSync(trajectories) ? readdirSync(trajectories) : [])(
  '%s',
  (name) => {
    test('records of another format are kept byte for byte as opaque events', () => {
      const records = JSON.parse(readFileSync(new URL(name, trajectories), 'utf8')) as readonly unknown[];
      const events = records.map((record) => codec.read(JSON.stringify(record, undefined, 2)));
      expect(events.length).toBeGreaterThan(0);
      expect(events.map((event) => isOpaque(event) && event.problem)).toEqual(
        events.map(() => 'The JSON has no kind and id, so it is not an event.'),
      );
      expect(events.map((event) => codec.encode(event))).toEqual(
        records.map((record) => JSON.stringify(record, undefined, 2)),
      );
    });
  },
);

test('a conversation of an old reference version is readable', () => {
  const text =
    '{"id":"e0","timestamp":"2026-01-01T12:00:00","source":"user","llm_message":{"role":"user","content":"hi"},"kind":"MessageEvent"}';
  expect(codec.encode(codec.decode(text))).toContain('"text":"hi"');
});
