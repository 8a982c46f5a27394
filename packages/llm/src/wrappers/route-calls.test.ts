import type { Message } from '@varve/events';
import { expect, test } from 'vitest';
import type { Delta } from '../delta.ts';
import { userRequest, scriptedModel, type ScriptedTurn } from '../testing/index.ts';
import { routeCalls, type FallbackNotice } from './route-calls.ts';

const tool = { name: 'grep', description: 'Searches.', parameters: { type: 'object' } };
const picture: Message = {
  role: 'user',
  content: [{ type: 'image', image_urls: ['data:image/png;base64,AA'], cache_prompt: false }],
  thinking_blocks: [],
};

const ok: ScriptedTurn = { text: 'Hello.' };
const busy: ScriptedTurn = { error: { code: 'rate-limited', message: 'Busy.' } };

test('the request is sent to the first model, and to the next after a failure of that provider', async () => {
  const [first, second] = [scriptedModel([busy, ok], { name: 'first' }), scriptedModel([ok], { name: 'second' })];
  const notices: FallbackNotice[] = [];
  const model = routeCalls([first, second], { onFallback: (notice) => notices.push(notice) });
  const replies = [await model.generate(userRequest('Hi')), await model.generate(userRequest('Hi'))];
  expect(replies.map((reply) => [reply.model, reply.attempts])).toEqual([
    ['second', 2],
    ['first', 1],
  ]);
  expect(notices).toMatchObject([{ from: 'first', to: 'second', error: { code: 'rate-limited' } }]);
});

test('a failure caused by the request is not sent to another model', async () => {
  const second = scriptedModel([ok]);
  const model = routeCalls([scriptedModel([{ error: { code: 'bad-request' } }]), second]);
  await expect(model.generate(userRequest('Hi'))).rejects.toMatchObject({ code: 'bad-request' });
  expect(second.requests).toHaveLength(0);
});

test('the failures that lead to the next model are configurable', async () => {
  const model = routeCalls([scriptedModel([{ error: { code: 'refused' } }]), scriptedModel([ok])], {
    fallbackOn: ['refused'],
  });
  expect((await model.generate(userRequest('Hi'))).message.content).toHaveLength(1);
});

test('when all fail, the error is that of the first', async () => {
  const model = routeCalls([scriptedModel([busy]), scriptedModel([{ error: { code: 'unauthenticated' } }])]);
  await expect(model.generate(userRequest('Hi'))).rejects.toMatchObject({ code: 'rate-limited', message: 'Busy.' });
});

test('an abort ends the call without trying further models', async () => {
  const caller = new AbortController();
  const second = scriptedModel([ok]);
  const step = (): ScriptedTurn => {
    caller.abort();
    return ok;
  };
  const call = routeCalls([scriptedModel([step]), second]).generate(userRequest('Hi'), { signal: caller.signal });
  await expect(call).rejects.toMatchObject({ code: 'aborted' });
  expect(second.requests).toHaveLength(0);
});

test('a reset discards the deltas of an incomplete reply', async () => {
  const broken = { text: 'A reply that breaks off.', fault: { kind: 'reset', afterPieces: 1 } } as const;
  const deltas: Delta[] = [];
  await routeCalls([scriptedModel([broken]), scriptedModel([ok])]).generate(userRequest('Hi'), {
    onDelta: (delta) => void deltas.push(delta),
  });
  expect(deltas.map(({ kind }) => kind)).toEqual(['text', 'reset', 'text']);
});

test('there is no reset without deltas', async () => {
  const deltas: Delta[] = [];
  await routeCalls([scriptedModel([busy]), scriptedModel([ok])]).generate(userRequest('Hi'), {
    onDelta: (delta) => void deltas.push(delta),
  });
  expect(deltas).toEqual([{ kind: 'text', text: 'Hello.' }]);
});

test.for([
  ['tools', { functionCalling: false }, userRequest('Hi', { tools: [tool] })],
  ['images', { vision: false }, userRequest('', { messages: [picture] })],
  ['length', { contextWindow: 100 }, userRequest('word '.repeat(200))],
] as const)('a request goes to a model that takes its %s', async ([, capabilities, request]) => {
  const [small, large] = [scriptedModel([ok], { capabilities }), scriptedModel([ok])];
  await routeCalls([small, large]).generate(request);
  await routeCalls([small, large]).generate(userRequest('Hi'));
  expect([small.requests.length, large.requests.length]).toEqual([1, 1]);
});

test('a request that no model is known to support is sent to the first', async () => {
  const capabilities = { contextWindow: 10 };
  const [first, second] = [scriptedModel([ok], { capabilities }), scriptedModel([ok], { capabilities })];
  await routeCalls([first, second]).generate(userRequest('word '.repeat(200)));
  expect([first.requests.length, second.requests.length]).toEqual([1, 0]);
});

test('it has the capabilities of any of its models', () => {
  const blind = scriptedModel([], { capabilities: { vision: false, contextWindow: 10 } });
  const mute = scriptedModel([], { capabilities: { streaming: false, contextWindow: 20 } });
  expect(routeCalls([blind, mute]).capabilities).toEqual({
    functionCalling: true,
    vision: true,
    streaming: false,
    contextWindow: 20,
  });
  expect(routeCalls([blind, scriptedModel([])]).capabilities).not.toHaveProperty('contextWindow');
});
