import fc from 'fast-check';
import { expect, test } from 'vitest';
import { eventCodec, type Stamp } from '@varve/events';
import { originFact } from '@varve/events/facts';
import { ActionEvent, builtinKinds, MessageEvent } from '@varve/events/kinds';
import { activeBranch, formats } from '../src/index.ts';

const codec = eventCodec(builtinKinds);
const ids = Array.from({ length: 12 }, (_, index) => `facade00-${index}`);
const names = [
  'claude-code',
  'codex',
  'mcpbench-history',
  'openhands-evaluation-v0',
  'openhands-evaluation-v1',
  'openhands-v0',
  'openhands-v0-metadata',
  'orxhestra',
  'orxhestra-session',
];
const keys = ['0', '1', '__proto__', 'constructor', 'id', 'events', 'args', 'content', 'history', 'extras', 'type', ''];
const path = fc.array(fc.constantFrom(...keys), { maxLength: 4 });
const value = fc.oneof(fc.jsonValue(), fc.constant({ type: 'agent_message' }), fc.constant('../../../x'));

/** Facts about records that no import has read, and texts that are no events: a bundle may contain both. */
const hostile: fc.Arbitrary<(stamp: Stamp) => { readonly kind: string; readonly text: string }> = fc.oneof(
  fc
    .record({
      format: fc.constantFrom(...names),
      event_id: fc.option(fc.constantFrom(...ids)),
      changed: fc.array(fc.record({ path, value }), { maxLength: 3 }),
      removed: fc.array(path, { maxLength: 2 }),
    })
    .map(({ event_id, ...rest }) => (stamp: Stamp) => {
      const event = originFact.create({ ...rest, ...(event_id !== null && { event_id }) }, stamp);
      return { kind: event.kind, text: codec.encode(event) };
    }),
  fc
    .constantFrom('', 'no JSON', 'null', '[]', '{}', '{"kind":"ActionEvent"}', '1', '"x"', '{"kind":5}', '{"id":{}}')
    .map((text) => () => ({ kind: 'Unknown', text })),
  fc.constant((stamp: Stamp) => {
    const event = MessageEvent.create({ source: 'user', llm_message: { role: 'user', content: [] } }, stamp);
    return { kind: event.kind, text: codec.encode(event) };
  }),
  fc.constant((stamp: Stamp) => {
    const call = { id: 'c', name: 'terminal', arguments: '{}', origin: 'completion' } as const;
    const fields = { thought: [], tool_name: 'terminal', tool_call_id: 'c', tool_call: call };
    const event = ActionEvent.create({ ...fields, llm_response_id: stamp.id }, stamp);
    return { kind: event.kind, text: codec.encode(event) };
  }),
);

test.for(formats.filter((format) => format.write !== undefined))(
  '$name writes any log of another person into files below its directory',
  async (format) => {
    await fc.assert(
      fc.asyncProperty(fc.array(hostile, { minLength: 1, maxLength: 12 }), async (makers) => {
        const entries = makers.map((make, seq) => {
          const stamp = { id: ids[seq] ?? '', timestamp: '2026-11-20T23:41:43.907041' };
          return { seq, id: stamp.id, parentId: undefined, ...make(stamp) };
        });
        const { events } = await activeBranch(entries);
        for (const file of format.write?.({ id: 'a'.repeat(32), title: 't', events }).files ?? []) {
          expect(file).toEqual({ path: expect.stringMatching(/^([\w-]+\/)?[\w.-]*$/), text: expect.any(String) });
          expect(file.path).not.toContain('..');
        }
      }),
      { numRuns: 300 },
    );
  },
);
