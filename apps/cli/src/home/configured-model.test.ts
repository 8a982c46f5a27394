import { PassThrough, Readable } from 'node:stream';
import { expect, test } from 'vitest';
import { scriptedServer, userRequest } from '@varve/llm/testing';
import type { CliError } from '../failures/cli-error.ts';
import { exitCodes } from '../failures/exit-codes.ts';
import { modelFromSettings, type ConfiguredModel, type StoredModel } from '@varve/settings/agent';
import { flagsOf } from '../opening/run-flags.ts';
import type { RunOptions } from '../opening/run-options.ts';
import { modelFailure, modelOptions, noticesFor } from './configured-model.ts';
import { settingsFor } from './settings.ts';
import { terminalIo } from '../terminal/terminal-io.ts';

function configured(env: Record<string, string>, model: string, baseUrl?: string): Promise<ConfiguredModel> {
  const options = { model, ...(baseUrl !== undefined && { baseUrl }), functionCalling: 'auto' } as const;
  return configuredFrom(env, { options });
}

interface Sources {
  readonly options: RunOptions;
  readonly stored?: StoredModel;
}

async function configuredFrom(
  env: Record<string, string>,
  { options, stored }: Sources,
  report: (line: string) => unknown = () => undefined,
): Promise<ConfiguredModel> {
  const [stdout, stderr] = [new PassThrough(), new PassThrough()];
  const io = terminalIo({
    env: { HOME: '/nowhere', ...env },
    cwd: '/nowhere',
    stdin: Readable.from(['']),
    stdout,
    stderr,
  });
  const settings = await settingsFor(io, { flags: flagsOf(options) });
  const sources = modelOptions(io, { settings, ...(stored && { stored }) });
  try {
    return await modelFromSettings({ ...sources, notices: noticesFor(report) });
  } catch (error) {
    throw modelFailure(error, settings);
  }
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

test.for(['https://llm.example.test/v1', 'http://api.openai.com/v1', 'https://api.openai.com.evil.test/v1'])(
  'the server %s receives LLM_API_KEY, and no key of a provider',
  async (baseUrl) => {
    const env = { OPENAI_API_KEY: 'sk-0123456789', OPENROUTER_API_KEY: 'or-0123456789' };
    await expect(configured(env, 'm', baseUrl)).rejects.toMatchObject({
      exitCode: exitCodes.usage,
      message: `No API key for ${new URL(baseUrl).origin}, which is no known provider.`,
      hint: expect.stringContaining('LLM_API_KEY') as unknown,
    });
    const { model } = await configured({ ...env, LLM_API_KEY: 'own-0123456789' }, 'm', baseUrl);
    expect(model.name).toBe('m');
  },
);

test.for([
  [{}, false],
  [{ LLM_MODEL: 'any-name' }, false],
  [{ LLM_MODEL: 'anthropic/claude' }, false],
  [{ LLM_MODEL: 'https://other.example.test/v1#m' }, false],
  [{ LLM_MODEL: 'https://llm.example.test/v1#m' }, true],
  [{ LLM_MODEL: 'anthropic/claude', LLM_BASE_URL: 'https://llm.example.test' }, true],
  [{ LLM_BASE_URL: 'https://other.example.test' }, false],
] as const)('with %j, LLM_API_KEY is for a stored server: %s', async ([variables, isSent]) => {
  const env = { LLM_API_KEY: 'own-0123456789', ...variables };
  const stored = { name: 'm', baseUrl: 'https://llm.example.test/v1', functionCalling: 'auto', settings: {} } as const;
  const exitCode = await configuredFrom(env, { options: {}, stored }).then(
    () => undefined,
    (error: CliError) => error.exitCode,
  );
  expect(exitCode).toBe(isSent ? undefined : exitCodes.usage);
});

test.for([
  ['https://openrouter.ai/api/v1', {}, true],
  ['https://openrouter.ai/api/v1', { LLM_BASE_URL: 'https://llm.example.test' }, false],
  ['https://openrouter.ai.evil.test/api/v1', {}, false],
  ['http://openrouter.ai/api/v1', {}, false],
  ['https://openrouter.ai@evil.test/api/v1', {}, false],
] as const)('LLM_API_KEY is for the stored server %s with %j: %s', async ([baseUrl, variables, isSent]) => {
  const env = { LLM_API_KEY: 'own-0123456789', ...variables };
  const stored = { name: 'm', baseUrl, functionCalling: 'auto', settings: {} } as const;
  const refused = await configuredFrom(env, { options: {}, stored }).then(
    () => false,
    () => true,
  );
  expect(refused).toBe(!isSent);
});

test('a server on this machine that only a log names receives no key, which is reported', async () => {
  await using server = await scriptedServer([{ text: 'Hi.' }, { text: 'Hi.' }]);
  const stored = { name: 'm', baseUrl: server.url, functionCalling: 'auto', settings: {} } as const;
  const lines: string[] = [];
  for (const options of [{}, { baseUrl: server.url }]) {
    const sources = { options, stored };
    const { model } = await configuredFrom({ LLM_API_KEY: 'own-0123456789' }, sources, (line) => lines.push(line));
    await model.generate(userRequest('Hi'));
  }
  const sent = server.requests.map(({ headers }) => headers['authorization']);
  expect(sent).toEqual(['Bearer none', 'Bearer own-0123456789']);
  expect(lines).toEqual([expect.stringContaining(`add --base-url ${server.url}`)]);
});

test('a server on this machine receives no key of a provider', async () => {
  await using server = await scriptedServer([{ text: 'Hi.' }, { text: 'Hi.' }]);
  const env = { OPENAI_API_KEY: 'sk-0123456789' };
  for (const each of [env, { ...env, LLM_API_KEY: 'own-0123456789' }]) {
    const { model } = await configured(each, 'm', server.url);
    await model.generate(userRequest('Hi'));
  }
  const sent = server.requests.map(({ headers }) => headers['authorization']);
  expect(sent).toEqual(['Bearer none', 'Bearer own-0123456789']);
});
