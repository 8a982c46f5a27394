import { join } from 'node:path';
import { functionCalling, LlmError, modelFrom, providers, retry, type LanguageModel } from '@varve/llm';
import { dumpsFrom } from '@varve/llm/dumps';
import { meterCalls, modelCatalog } from '@varve/llm/wrappers';
import { CliError } from '../cli-error.ts';
import { describeNotice } from './describe-notice.ts';
import { exitCodes } from '../exit-codes.ts';
import { shellWord } from '../shell-word.ts';
import { isLoopback } from '@varve/text';
import { varveHome } from './open-configured-store.ts';
import { resumedModel, serverIn, type ResumedModel, type StoredModel } from './stored-model.ts';
import type { TerminalIo } from '../terminal/terminal-io.ts';

/** Options of the command line about the model. */
export interface ModelOptions {
  readonly model?: string;
  readonly baseUrl?: string;
  readonly functionCalling?: 'native' | 'mock' | 'auto';
}

/** The model options, and what a resumed conversation has stored. */
export interface ModelSources {
  readonly options: ModelOptions;
  readonly stored?: StoredModel;
}

/** A model, and the keys that must never reach the log. */
export interface ConfiguredModel {
  readonly model: LanguageModel;
  readonly secrets: readonly string[];
  /** Resolves when all dumps of calls are written. */
  readonly flushDumps: () => Promise<void>;
}

/** Maximum number of attempts of one model call. */
const attempts = 5;

/** Model of OpenAI if none is configured. */
const defaultModel = 'gpt-5.1';

/**
 * Creates the configured model: that of a resumed conversation, else `--model`/LLM_MODEL and
 * `--base-url`/LLM_BASE_URL/OPENAI_BASE_URL, with LLM_API_KEY or the key of the provider. The key of a provider is sent
 * to its own address only; a server on this machine needs none. The dump variables of the reference are supported.
 *
 * @throws {CliError} `usage` without a key, for an unknown provider, or without a model name for a custom server.
 */
export async function configuredModel(
  io: TerminalIo,
  { options, stored }: ModelSources,
  report: (line: string) => void,
): Promise<ConfiguredModel> {
  const { env } = io;
  checkUrl(options.baseUrl);
  const chosen = stored ? resumedModel(stored, options) : modelFor(options, env);
  const { reference, baseUrl } = chosen;
  if (chosen.change !== undefined) report(chosen.change);
  const secrets = keysIn(env);
  const dumps = dumpsFrom(env, { path: join(varveHome(io), 'completions'), secrets });
  const ownKey = keyIn(env, 'LLM_API_KEY');
  const isOwnKey = stored === undefined || options.baseUrl !== undefined || isForServer(env, stored.baseUrl);
  const apiKey = isOwnKey ? ownKey : undefined;
  if (stored && ownKey !== apiKey) report(withheldKey(stored.baseUrl));
  // Servers on this machine have no prices, and their own context windows.
  const catalog = isLoopback(baseUrl ?? providerOf(reference)?.baseUrl ?? reference) ? undefined : await modelCatalog();
  const adapter = withUsageError(() =>
    modelFrom(reference, {
      keys: env,
      ...chosen.settings,
      // An address in the reference is complete.
      ...(baseUrl !== undefined && !/^https?:/.test(reference) && { baseUrl }),
      ...(apiKey !== undefined && { apiKey }),
      ...(catalog && { catalog }),
      ...(dumps && { fetch: dumps.fetch }),
      onPromptCut: ({ readTokens, sentTokens, contextWindow }) =>
        report(
          contextWindow === undefined
            ? `The server read ${readTokens} of about ${sentTokens} tokens: raise its context length (OLLAMA_CONTEXT_LENGTH).`
            : `The server read ${readTokens} tokens, more than the known context window of ${contextWindow}.`,
        ),
    }),
  );
  const priced = catalog ? meterCalls({ catalog: async () => catalog })(adapter) : adapter;
  const retrying = retry({
    attempts,
    onRetry: ({ attempt, delayMs, error }) =>
      report(`${error.message} Retrying in ${(delayMs / 1000).toFixed(1)} s (${attempt + 1}/${attempts}).`),
  })(dumps ? dumps.wrap(priced) : priced);
  const model = functionCalling({
    mode: options.functionCalling ?? stored?.functionCalling ?? 'auto',
    onNotice: (notice) => report(describeNotice(notice)),
    onSwitch: () =>
      report(`${retrying.name} does not support tools: switching to calls as text (--function-calling mock).`),
  })(retrying);
  return { model, secrets, flushDumps: async () => dumps?.flush() };
}

/** Returns the model of a conversation without a stored one. */
function modelFor(
  options: ModelOptions,
  env: TerminalIo['env'],
): Partial<ResumedModel> & { readonly reference: string } {
  const baseUrl = options.baseUrl ?? addressIn(env);
  checkUrl(baseUrl);
  const reference = referenceFrom(options.model ?? (env['LLM_MODEL'] || undefined), baseUrl);
  return { reference, ...(baseUrl !== undefined && { baseUrl }) };
}

function addressIn(env: TerminalIo['env']): string | undefined {
  return env['LLM_BASE_URL'] || env['OPENAI_BASE_URL'] || undefined;
}

/**
 * Tests whether LLM_API_KEY is for a stored server: that of the address in the environment, or of the provider in
 * LLM_MODEL, or without both a known provider. A log alone does not choose the server that receives a key.
 */
function isForServer(env: TerminalIo['env'], stored: string): boolean {
  const address = addressIn(env) ?? serverIn(env['LLM_MODEL'] ?? '').address;
  const named = address === undefined ? Object.values(providers).map(({ baseUrl }) => baseUrl) : [address];
  const origin = URL.parse(stored)?.origin;
  return origin !== undefined && named.some((one) => URL.parse(one)?.origin === origin);
}

function withheldKey(stored: string): string {
  const what = `LLM_API_KEY is not sent to ${new URL(stored).origin}, which only the log of the conversation names`;
  return `${what}. If the key is for that server, add --base-url ${shellWord(stored)}.`;
}

function providerOf(reference: string): (typeof providers)[string] | undefined {
  const [name = ''] = reference.split('/');
  return Object.hasOwn(providers, name) ? providers[name] : undefined;
}

function referenceFrom(model: string | undefined, baseUrl: string | undefined): string {
  if (model !== undefined) return model;
  if (baseUrl === undefined) return defaultModel;
  throw new CliError(
    exitCodes.usage,
    `The server ${baseUrl} needs a model name.`,
    'Name it with --model or LLM_MODEL.',
  );
}

/** Converts errors in the name of a model to usage errors. */
function withUsageError(make: () => LanguageModel): LanguageModel {
  try {
    return make();
  } catch (error) {
    if (!(error instanceof LlmError)) throw error;
    if (error.code === 'unauthenticated') throw missingKey(error.message);
    const known = Object.keys(providers).join(', ');
    throw new CliError(
      exitCodes.usage,
      error.message,
      `A model is NAME or PROVIDER/NAME. The providers are: ${known}.`,
    );
  }
}

function missingKey(message: string): CliError {
  return new CliError(
    exitCodes.usage,
    message,
    'Set LLM_API_KEY for any server, or the variable of a known provider (such as OPENAI_API_KEY), which is sent to that provider only. A server on this machine (--base-url) and `varve demo` need none.',
  );
}

/** Returns a trimmed key: environment files may add line feeds. */
function keyIn(env: TerminalIo['env'], name: string): string | undefined {
  return env[name]?.trim() || undefined;
}

/** Returns the keys of all providers, because a program started by the agent may print any of them. */
function keysIn(env: TerminalIo['env']): readonly string[] {
  const names = ['LLM_API_KEY', ...Object.values(providers).flatMap(({ keyName }) => keyName ?? [])];
  return [...new Set(names)].flatMap((name) => keyIn(env, name) ?? []);
}

function checkUrl(url: string | undefined): void {
  if (url === undefined) return;
  if (!/^https?:\/\//.test(url) || !URL.canParse(url)) {
    throw new CliError(
      exitCodes.usage,
      `"${url.replace(/\/\/[^/@]*@/, '//')}" is not the address of a server.`,
      'It starts with http:// or https://.',
    );
  }
  if (/\/\/[^/]*@/.test(url)) {
    throw new CliError(
      exitCodes.usage,
      `The address of ${new URL(url).host} contains a user name or password.`,
      'Remove it, and set LLM_API_KEY.',
    );
  }
}
