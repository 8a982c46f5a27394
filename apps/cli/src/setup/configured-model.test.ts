import { PassThrough, Readable } from 'node:stream';
import { expect, test } from 'vitest';
import { configuredModel, type ConfiguredModel } from './configured-model.ts';

function configured(env: Record<string, string>, model: string, baseUrl?: string): Promise<ConfiguredModel> {
  const [stdout, stderr] = [new PassThrough(), new PassThrough()];
  const io = { env: { HOME: '/nowhere', ...env }, cwd: '/nowhere', stdin: Readable.from(['']), stdout, stderr };
  const options = { model, ...(baseUrl !== undefined && { baseUrl }), functionCalling: 'auto' } as const;
  return configuredModel(io, options, () => undefined);
}

test('a key is masked without the line feed of its environment file', async () => {
  const { secrets } = await configured({ OPENAI_API_KEY: 'sk-0123456789\n', LLM_API_KEY: '    ' }, 'gpt-5.1');
  expect(secrets).toEqual(['sk-0123456789']);
});

test('the key of a known provider is found by its address', async () => {
  const env = { OPENROUTER_API_KEY: 'or-0123456789' };
  const { model } = await configured(env, 'maker/model', 'https://openrouter.ai/api/v1');
  expect(model.name).toBe('maker/model');
});
