import { describe, expect, test } from 'vitest';
import { openaiChat } from '../chat/openai-chat.ts';
import { retry } from '../retry.ts';
import { userRequest, scriptedModel, scriptedServer, type ScriptedTurn } from '../testing/index.ts';
import { meterCalls, type CallMeasure } from './meter-calls.ts';
import { modelCatalog, type CatalogQuery, type ModelCatalog } from './model-catalog.ts';

const usage = {
  input_tokens: 1000,
  output_tokens: 100,
  cache_read_tokens: 400,
  cache_write_tokens: 200,
  reasoning_tokens: 0,
};
const spent: ScriptedTurn = { text: 'Hello.', usage };

/** A catalogue of one model that records its queries. */
function catalogOf(known: string, queries: CatalogQuery[] = []): () => Promise<ModelCatalog> {
  return async () => ({
    find(query) {
      queries.push(query);
      return query.model === known ? { costOf: () => 0.5 } : undefined;
    },
  });
}

test('a cost reported by the provider takes precedence over prices', async () => {
  const measures: CallMeasure[] = [];
  const wrap = meterCalls({ prices: { input: 1, output: 1 }, onCall: (measure) => measures.push(measure) });
  const reply = await wrap(scriptedModel([{ ...spent, costUsd: 0.25 }])).generate(userRequest('Hi'));
  expect([reply.costUsd, measures[0]?.costFrom]).toEqual([0.25, 'provider']);
});

test('agreed prices count cached tokens separately', async () => {
  const prices = { input: 10, output: 100, cacheRead: 1, cacheWrite: 20 };
  const reply = await meterCalls({ prices })(scriptedModel([spent])).generate(userRequest('Hi'));
  expect(reply.costUsd).toBeCloseTo((400 * 10 + 400 * 1 + 200 * 20 + 100 * 100) / 1_000_000, 12);
  const plain = await meterCalls({ prices: { input: 10, output: 100 } })(scriptedModel([spent])).generate(
    userRequest('Hi'),
  );
  expect(plain.costUsd).toBeCloseTo((1000 * 10 + 100 * 100) / 1_000_000, 12);
});

test('the catalogue is queried with the model that answered and its address', async () => {
  const queries: CatalogQuery[] = [];
  await using server = await scriptedServer([spent]);
  const model = retry()(openaiChat({ model: 'm', baseUrl: server.url }));
  const reply = await meterCalls({ catalog: catalogOf('m', queries) })(model).generate(userRequest('Hi'));
  expect(reply.costUsd).toBe(0.5);
  expect(queries).toEqual([{ model: 'm', baseUrl: server.url }]);
});

test('a catalogue that cannot be loaded fails no call, and is loaded again for the next one', async () => {
  const catalogs = [async (): Promise<never> => Promise.reject(new Error('offline')), catalogOf('scripted')];
  const model = meterCalls({ catalog: async () => (catalogs.shift() ?? catalogOf('scripted'))() })(
    scriptedModel([spent, spent]),
  );
  const costs = [(await model.generate(userRequest('a'))).costUsd, (await model.generate(userRequest('b'))).costUsd];
  expect(costs).toEqual([undefined, 0.5]);
});

test('the cost is unknown without a price or without usage', async () => {
  const wrap = meterCalls({ catalog: catalogOf('another') });
  const model = wrap(scriptedModel([spent, { text: 'Hello.' }]));
  for (const question of ['a', 'b']) expect(await model.generate(userRequest(question))).not.toHaveProperty('costUsd');
});

test('each call is measured, a failed one with its code', async () => {
  const measures: CallMeasure[] = [];
  let time = 0;
  const wrap = meterCalls({
    catalog: catalogOf('scripted'),
    now: () => (time += 10),
    onCall: (each) => measures.push(each),
  });
  const model = wrap(scriptedModel([spent, { error: { code: 'quota' } }]));
  await model.generate(userRequest('Hi'), { onDelta: () => undefined });
  await model.generate(userRequest('Hi')).catch(() => undefined);
  expect(measures).toEqual([
    { model: 'scripted', usage, costUsd: 0.5, costFrom: 'catalog', attempts: 1, firstPieceMs: 10, durationMs: 20 },
    { model: 'scripted', failed: 'quota', durationMs: 10 },
  ]);
});

describe('the catalogue', async () => {
  const catalog = await modelCatalog();

  test('contains prices and context windows', () => {
    const known = catalog.find({ model: 'gpt-4o', baseUrl: 'https://api.openai.com/v1' });
    expect(known?.contextWindow).toBe(128_000);
    expect(known?.costOf(usage)).toBeGreaterThan(0);
    const cached = known?.costOf({ ...usage, cache_read_tokens: 0, cache_write_tokens: 0 }) ?? 0;
    expect(known?.costOf(usage)).toBeLessThan(cached);
  });

  test('contains no local server, whatever its model names', () => {
    expect(catalog.find({ model: 'gpt-4o', baseUrl: 'http://127.0.0.1:11434/v1' })).toBe(undefined);
    expect(catalog.find({ model: 'no-such-model' })).toBe(undefined);
  });

  test('assumes the entry of the maker at an unknown server, and at no other', () => {
    const assumed = catalog.find({ model: 'openai/gpt-4o', baseUrl: 'https://llm.example.test/v1' });
    expect(assumed).toMatchObject({ contextWindow: 128_000, isAssumed: true });
    expect(assumed?.costOf(usage)).toBeGreaterThan(0);
    expect(catalog.find({ model: 'gpt-4o', baseUrl: 'https://api.openai.com/v1' })).not.toHaveProperty('isAssumed');
    expect(catalog.find({ model: 'gpt-4o', baseUrl: 'https://api.mistral.ai/v1' })).toBe(undefined);
    expect(catalog.find({ model: 'rowan-7b', baseUrl: 'https://llm.example.test/v1' })).toBe(undefined);
  });

  test('has no price for a model whose entry has none', () => {
    const known = catalog.find({ model: 'qwen-3-coder-480b', baseUrl: 'https://api.cerebras.ai/v1' });
    expect(known).toBeDefined();
    expect(known?.costOf(usage)).toBe(undefined);
  });

  test('has no price for contradictory counts', () => {
    const known = catalog.find({ model: 'gpt-4o' });
    expect(known?.costOf({ ...usage, input_tokens: 1 })).toBe(undefined);
  });
});
