import { expect, test } from 'vitest';
import { eventCodec, type Json } from '@varve/events';
import * as facts from '@varve/events/facts';
import { builtinKinds, ConversationStateUpdateEvent } from '@varve/events/kinds';
import { eventFactory } from '@varve/events/testing';
import { conversationTimeline, stateOf } from '../src/log/conversation-state.ts';

const keys = Object.values(facts).flatMap((fact) => (typeof fact === 'object' && 'key' in fact ? [fact.key] : []));
const others = ['execution_status', 'stats', 'full_state', 'confirmation_policy', 'title'];
const values: readonly Json[] = [
  null,
  true,
  0,
  -1,
  '',
  'text',
  [],
  [null],
  {},
  { usage: null, actions: null, calls: [null] },
];

test.for([...keys, ...others])('an update of %s with any value is folded', (key) => {
  const { user, stamp } = eventFactory();
  const codec = eventCodec(builtinKinds);
  const timeline = conversationTimeline(codec);
  const events = [
    user('Go.'),
    // Some facts are read only while a run is open.
    facts.runFact.create({ state: 'begun', at: 0 }, stamp('__root__')),
    ...values.map((value) => ConversationStateUpdateEvent.create({ key, value }, stamp('__root__'))),
  ];
  for (const [seq, event] of events.entries()) timeline.push(codec.read(codec.encode(event)), seq);
  expect(timeline.head).toBe(events.length);
  const again = conversationTimeline(codec);
  expect(again.restore(timeline.snapshot())).toBe(true);
  expect(stateOf(timeline).head).toBe(events.length);
});
