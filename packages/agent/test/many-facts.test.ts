import { expect, test } from 'vitest';
import { eventCodec } from '@varve/events';
import { callFact, childFact, taskFact } from '@varve/events/facts';
import { builtinKinds, type ConversationStateUpdateEvent } from '@varve/events/kinds';
import { eventFactory } from '@varve/events/testing';
import { conversationTimeline, stateOf } from '../src/log/conversation-state.ts';

type Stamped = ReturnType<ReturnType<typeof eventFactory>['stamp']>;

const usage = { input_tokens: 1, output_tokens: 1, cache_read_tokens: 0, cache_write_tokens: 0, reasoning_tokens: 0 };
const call = {
  actions: [],
  model: 'm',
  finish: 'stop',
  usage,
  cost_usd: 1,
  latency_ms: 1,
  digests: { messages: '', tools: '', parameters: '' },
  projections: {},
  at: 0,
};
const child = { calls: 1, unpriced_calls: 0, cost_usd: 1, latency_ms: 1, usage, at: 0 };

/** Facts whose projections keep a record of each name in the log. */
const facts: readonly (readonly [string, (name: string, stamp: Stamped) => ConversationStateUpdateEvent])[] = [
  [
    'replies, each of another model',
    (name, stamp) => callFact.create({ ...call, response_id: name, usage_id: name }, stamp),
  ],
  ['child conversations', (name, stamp) => childFact.create({ ...child, conversation_id: name }, stamp)],
  ['tasks', (name, stamp) => taskFact.create({ task_id: name, conversation_id: name, sub_agent: 'a', at: 0 }, stamp)],
];

test.for(facts)('a log of 30,000 %s is folded in proportion to its length', ([, create]) => {
  const { stamp } = eventFactory();
  const timeline = conversationTimeline(eventCodec(builtinKinds));
  for (let seq = 0; seq < 30_000; seq += 1) timeline.push(create(`n${seq}`, stamp('__root__')), seq);
  const { stats } = stateOf(timeline);
  expect([stats.total.calls, timeline.read('tasks').length]).toContain(30_000);
});
