import { expect, test } from 'vitest';
import { resumedModel, storedModel, type StoredModel } from './stored-model.ts';

const openai = { kind: 'openai-chat', model: 'gpt-5.1', baseUrl: 'https://api.openai.com/v1', vision: true };
const stored: StoredModel = {
  name: 'gpt-5.1',
  baseUrl: 'https://api.openai.com/v1',
  functionCalling: 'auto',
  settings: { vision: true, protocol: 'chat' },
};

test('the model is read from the spec of an agent', () => {
  const auto = { kind: 'function-calling', mode: 'auto', model: { kind: 'retry', attempts: 5, model: openai } };
  expect(storedModel({ model: auto })).toEqual(stored);
  const mock = { kind: 'mock-function-calling', model: { kind: 'retry', model: openai } };
  expect(storedModel({ model: mock })?.functionCalling).toBe('mock');
  expect(storedModel({ model: { ...openai, kind: 'openai-responses' } })).toMatchObject({
    functionCalling: 'native',
    settings: { protocol: 'responses' },
  });
});

test.for([
  undefined,
  null,
  {},
  { model: 'x' },
  { model: { kind: 'routed', models: [openai] } },
  { model: { model: 'x' } },
])('the agent %j has no model with an address', (agent) => {
  expect(storedModel(agent)).toBeUndefined();
});

test('invalid settings are left out', () => {
  expect(storedModel({ model: { ...openai, contextWindow: 'all' } })?.settings).toEqual({ protocol: 'chat' });
});

test('without options nothing changes, and a name is used as it is', () => {
  const groq = { ...stored, name: 'openai/gpt-oss-20b', baseUrl: 'https://api.groq.com/openai/v1' };
  expect(resumedModel(groq, {})).toEqual({
    reference: 'https://api.groq.com/openai/v1#openai/gpt-oss-20b',
    baseUrl: groq.baseUrl,
    settings: groq.settings,
  });
});

test.for([
  ['gpt-5.2', 'https://api.openai.com/v1#gpt-5.2'],
  ['openai/gpt-5.2', 'https://api.openai.com/v1#gpt-5.2'],
  ['https://api.openai.com/v1#gpt-5.2', 'https://api.openai.com/v1#gpt-5.2'],
])('--model %s stays at the stored server', ([model = '', reference]) => {
  expect(resumedModel(stored, { model })).toMatchObject({
    reference,
    change: expect.stringContaining('gpt-5.2') as unknown,
  });
});

test.for([
  'openrouter/a/b',
  'anthropic/claude',
  'ollama/x',
  'https://evil.test/v1#gpt-5.1',
  'http://api.openai.com/v1#m',
])('--model %s is another server, and refused', (model) => {
  expect(() => resumedModel(stored, { model })).toThrow('The conversation is at https://api.openai.com, and');
});

test('names of makers stay at a router', () => {
  const router = { ...stored, name: 'qwen/qwen3', baseUrl: 'https://openrouter.ai/api/v1' };
  expect(resumedModel(router, { model: 'anthropic/claude' }).reference).toBe(
    'https://openrouter.ai/api/v1#anthropic/claude',
  );
  expect(resumedModel(router, { model: 'openrouter/a/b' }).reference).toBe('https://openrouter.ai/api/v1#a/b');
});

test('--base-url moves the conversation, and the settings of the old server do not apply', () => {
  expect(resumedModel(stored, { baseUrl: 'http://127.0.0.1:1/v1' })).toEqual({
    reference: 'http://127.0.0.1:1/v1#gpt-5.1',
    baseUrl: 'http://127.0.0.1:1/v1',
    settings: {},
    change: 'The conversation moves from https://api.openai.com to http://127.0.0.1:1 (model gpt-5.1).',
  });
});
