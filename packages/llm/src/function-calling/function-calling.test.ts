import { expect, test } from 'vitest';
import type { LlmError } from '../error.ts';
import type { ToolSpec } from '../model-request.ts';
import { openaiChat } from '../chat/openai-chat.ts';
import { userRequest, scriptedModel, scriptedServer } from '../testing/index.ts';
import { functionCalling } from './function-calling.ts';

const tools: readonly ToolSpec[] = [{ name: 'ping', description: '', parameters: { type: 'object', properties: {} } }];
const request = userRequest('Go', { tools });
const ping = { calls: [{ name: 'ping', arguments: {} }] };

test('native sends the request unchanged', async () => {
  const inner = scriptedModel([ping]);
  const model = functionCalling({ mode: 'native' })(inner);
  await model.generate(request);
  expect([model.spec, inner.requests[0]]).toEqual([
    { kind: 'function-calling', mode: 'native', model: inner.spec },
    request,
  ]);
});

test('mock never sends tools', async () => {
  const inner = scriptedModel([ping], { prompted: true, capabilities: { functionCalling: true } });
  const { finish } = await functionCalling({ mode: 'mock' })(inner).generate(request);
  expect([finish, inner.requests.map((each) => each.tools)]).toEqual(['tool-calls', [[]]]);
});

test('auto uses text for a model that is known to support no tools', async () => {
  const inner = scriptedModel([ping], { prompted: true });
  const { finish } = await functionCalling()(inner).generate(request);
  expect([finish, inner.requests.length]).toEqual(['tool-calls', 1]);
});

test('auto uses native calls while they work', async () => {
  const inner = scriptedModel([ping]);
  await functionCalling()(inner).generate(request);
  expect(inner.requests[0]).toBe(request);
});

test('auto switches permanently when the provider rejects tools, and reports it once', async () => {
  await using server = await scriptedServer([ping, ping], { prompted: true });
  const switches: LlmError[] = [];
  const model = functionCalling({ onSwitch: (error) => switches.push(error) })(
    openaiChat({ model: 'm', baseUrl: server.url }),
  );
  const finishes = [(await model.generate(request)).finish, (await model.generate(request)).finish];
  expect(finishes).toEqual(['tool-calls', 'tool-calls']);
  expect(server.requests.map((each) => each.request?.tools.length)).toEqual([1, 0, 0]);
  expect(switches.map(({ code }) => code)).toEqual(['unsupported']);
});

test('auto switches for all concurrent calls', async () => {
  const rejected = Promise.withResolvers<void>();
  const rejection = { error: { code: 'unsupported', message: 'No tools here.' }, gate: rejected.promise } as const;
  const written = { text: '<function=ping>\n</function>' };
  let switches = 0;
  const model = functionCalling({ onSwitch: () => (switches += 1) })(
    scriptedModel([rejection, rejection, written, written]),
  );
  const calls = [model.generate(request), model.generate(request)];
  rejected.resolve();
  const finishes = (await Promise.all(calls)).map(({ finish }) => finish);
  expect([finishes, switches]).toEqual([['tool-calls', 'tool-calls'], 1]);
});

test.for([
  ['does not support tools', 400, 'registry.ollama.ai/library/gemma3:4b does not support tools'],
  ['vLLM', 400, '"auto" tool choice requires --enable-auto-tool-choice and --tool-call-parser to be set'],
  ['OpenRouter', 404, 'No endpoints found that support tool use. Try disabling "ping".'],
  ['OpenAI with many tools', 400, "Invalid 'tools': array too long. Expected an array with maximum length 128."],
  ['a host without function calling', 400, 'Function calling is not enabled for this model'],
] as const)('auto changes over for the words of %s', async ([, status, message]) => {
  const fault = { kind: 'answer', status, body: { error: { message } } } as const;
  await using server = await scriptedServer([{ fault }, { text: 'Hello.' }]);
  const { finish } = await functionCalling()(openaiChat({ model: 'm', baseUrl: server.url })).generate(request);
  expect(finish).toBe('stop');
});

test('auto rethrows every other failure, and rejections of anything but tools', async () => {
  const message = 'This model does not support image input.';
  const steps = [{ error: { code: 'unsupported', message } }, { error: { code: 'bad-request' } }] as const;
  const inner = scriptedModel(steps);
  const model = functionCalling()(inner);
  await expect(model.generate(request)).rejects.toMatchObject({ code: 'unsupported', message });
  await expect(model.generate(request)).rejects.toMatchObject({ code: 'bad-request' });
  expect(inner.requests).toHaveLength(2);
});
