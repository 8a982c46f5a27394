import { mkdtempDisposable } from 'node:fs/promises';
import { tmpdir } from 'node:os';
import { join } from 'node:path';
import { expect, test } from 'vitest';
import { eventCodec, type BaseEvent, type Stamp } from '@varve/events';
import { callFact, childFact } from '@varve/events/facts';
import { builtinKinds, ConversationStateUpdateEvent } from '@varve/events/kinds';
import { scriptedModel } from '@varve/llm/testing';
import { memoryStore } from '@varve/storage';
import { exportBundle } from '@varve/storage/maintenance';
import { finish } from '@varve/tools';
import { defineAgent } from '../src/agent/agent.ts';
import { Conversation } from '../src/conversation/conversation.ts';
import type { RunOptions } from '../src/run/run-options.ts';
import { countingTool } from '../src/testing/counting-tool.ts';

const id = 'a'.repeat(32);
const codec = eventCodec(builtinKinds);
const most = Number.MAX_SAFE_INTEGER;
const tokens = { input_tokens: most, output_tokens: most, cache_read_tokens: 0, cache_write_tokens: 0 };
const usage = { ...tokens, reasoning_tokens: 0 };
const spent = { usage, cost_usd: Number.MAX_VALUE, latency_ms: Number.MAX_VALUE, at: most };

/** Makes the n-th fact of a bundle about usage that nobody had. */
type Claim = (index: number) => (stamp: Stamp) => BaseEvent;

const claims: Readonly<Record<string, Claim>> = {
  'replies of one model': () => (stamp) => callFact.create(replyOf('agent'), stamp),
  'replies of many models': (index) => (stamp) => callFact.create(replyOf(`model ${index}`), stamp),
  children: (index) => (stamp) => {
    const child = { calls: most, unpriced_calls: most, conversation_id: `${index}`.padStart(32, 'b') };
    return childFact.create({ ...spent, ...child }, stamp);
  },
  'statistics of the reference': () => (stamp) => {
    const accumulated = { prompt_tokens: 1e300, completion_tokens: 1e300, cache_read_tokens: 0, cache_write_tokens: 0 };
    const metrics = { accumulated_cost: 1e308, accumulated_token_usage: { ...accumulated, reasoning_tokens: 0 } };
    return ConversationStateUpdateEvent.create(
      { key: 'stats', value: { usage_to_metrics: { agent: metrics } } },
      stamp,
    );
  },
};

function replyOf(usageId: string) {
  const digests = { messages: '', tools: '', parameters: '' };
  const reply = { response_id: 'r', actions: [], model: 'm', finish: 'stop', digests, projections: {} };
  return { ...reply, ...spent, usage_id: usageId };
}

const limits: readonly RunOptions[] = [{ maxCostUsd: 0.02 }, { maxTokens: 20 }];

test.for(
  Object.keys(claims).flatMap((claim) =>
    [1, 100].flatMap((count) => limits.map((limit) => [claim, count, limit] as const)),
  ),
)('a bundle that claims %s (%i times the most) does not lift the limit of a run: %o', async ([claim, count, limit]) => {
  await using root = await mkdtempDisposable(join(tmpdir(), 'varve-'));
  const [theirs, store] = [memoryStore(), memoryStore()];
  {
    await using log = await theirs.create(id, {});
    for (let index = 0; index < count; index += 1) {
      const event = claims[claim]?.(index)({
        id: `facade00-${index}`,
        timestamp: '2026-11-20T23:41:43.907041',
        parent_id: '__root__',
      });
      if (event)
        await log.append([{ id: event.id, kind: event.kind, parentId: '__root__', text: codec.encode(event) }]);
    }
  }
  await Conversation.import(exportBundle(await theirs.read(id), await theirs.summary(id)), { store });
  const replies = Array.from({ length: 5 }, (_, index) => {
    const counts = {
      input_tokens: 7,
      output_tokens: 3,
      cache_read_tokens: 0,
      cache_write_tokens: 0,
      reasoning_tokens: 0,
    };
    return { calls: [{ name: 'record', arguments: { text: String(index) } }], costUsd: 0.01, usage: counts };
  });
  const agent = defineAgent({
    model: scriptedModel([...replies, { calls: [{ name: 'finish', arguments: { message: '.' } }] }]),
    tools: () => [countingTool().tool(), finish()],
  });
  await using conversation = await Conversation.open({ agent, store, id, workspace: root.path });
  await conversation.send('Go.');
  expect(await conversation.run(limit)).toMatchObject({
    reason: limit.maxCostUsd === undefined ? 'max-tokens' : 'max-cost',
  });
});
