import { expect, test } from 'vitest';
import { callFact } from '../facts/call.ts';
import { ConversationStateUpdateEvent } from '../kinds/conversation-state-update-event.ts';
import { statsProjection } from './stats.ts';

const stamp = { id: 'facade00-1', timestamp: '2026-11-20T23:41:43.907041', parent_id: '__root__' };
const digests = { messages: '', tools: '', parameters: '' };
const replies = {
  response_id: 'r',
  actions: [],
  usage_id: 'agent',
  model: 'm',
  finish: 'stop',
  projections: {},
  at: 0,
};
const call = callFact.create({ ...replies, digests, cost_usd: 1e308, latency_ms: 1e308 }, stamp);
const metrics = { accumulated_cost: 1e308, response_latencies: [{ latency: 1e308 }] };
const value = { usage_to_metrics: { agent: metrics, judge: metrics } };
const foreign = ConversationStateUpdateEvent.create({ key: 'stats', value }, stamp);

test.for([
  ['calls', [call, call]],
  ['the reference', [foreign]],
] as const)('sums of enormous costs of %s are the same after a snapshot', ([, events]) => {
  const state = events.reduce(
    (before, event, seq) => statsProjection.apply(before, event, seq),
    statsProjection.initial(),
  );
  const saved: unknown = JSON.parse(JSON.stringify(statsProjection.encode(state)));
  expect(statsProjection.read(statsProjection.decode(saved as never))).toEqual(statsProjection.read(state));
  expect(statsProjection.read(state).total.cost_usd).toBeGreaterThan(1e300);
});
