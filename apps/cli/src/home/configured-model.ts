import { LlmError, providers } from '@varve/llm';
import { SettingsError, type Settings } from '@varve/settings';
import { serverIn, type ModelOptions, type StoredAgentParts, type StoredModel } from '@varve/settings/agent';
import type { ModelRole } from '@varve/settings/profiles';
import { CliError } from '../failures/cli-error.ts';
import { exitCodes } from '../failures/exit-codes.ts';
import type { TerminalIo } from '../terminal/terminal-io.ts';
import { shellWord } from '@varve/text';
import { describeNotice } from './describe-notice.ts';
import { secretsOf } from './secrets.ts';
import { varveHome } from './varve-home.ts';

/** Settings of a model, and what a resumed conversation has stored. */
export interface ModelSources {
  readonly settings: Settings;
  readonly stored?: StoredModel;
  readonly role?: ModelRole;
  /** Name of a profile in place of that of the role. */
  readonly profile?: string;
}

/**
 * Returns what a person sees of an error of `modelFromSettings`: with a hint if there is one.
 *
 * @param stored Parts of the conversation that is resumed. One without any was imported or repaired.
 */
export function modelFailure(error: unknown, settings: Settings, stored?: Pick<StoredAgentParts, 'spec'>): unknown {
  if (error instanceof SettingsError && error.code === 'other-server') return otherServer(error, settings);
  if (error instanceof LlmError && error.code === 'unauthenticated' && !stored && !namesModel(settings)) {
    return new NoModelError(`No model is chosen, and the default needs a key: ${error.message}`, error);
  }
  return withHint(error, stored && stored.spec === undefined ? historyHint : keyHint);
}

/** No setting names a model, and the default one has no key. */
export class NoModelError extends CliError {
  constructor(message: string, cause: LlmError) {
    super(exitCodes.usage, message, noModelHint, { cause });
  }
}

const noModelHint =
  '`varve init` asks for a model and its key. A server on this machine (--base-url) and `varve demo` need none.';

/** Tests whether a person has chosen a model or a server. */
function namesModel(settings: Settings): boolean {
  const keys = ['llm.model', 'llm.base_url', 'roles.agent', 'agent_profile'] as const;
  return keys.some((key) => settings.get(key) !== undefined);
}

const keyHint =
  'Set LLM_API_KEY for any server, or the variable of a known provider (such as OPENAI_API_KEY), which is sent to that provider only. `varve init` asks for a model and its key. A server on this machine (--base-url) and `varve demo` need none.';

const historyHint =
  'The model and the server in the log do not apply, because the conversation was imported or repaired. Name them with --model and --base-url, or set the key.';

/** Returns the options of a model for the functions of `@varve/settings/agent`. */
export function modelOptions(io: TerminalIo, sources: ModelSources): ModelOptions {
  const store = secretsOf(io);
  return {
    home: varveHome(io),
    env: io.env,
    now: () => Date.now(),
    secret: (name) => store.value(name),
    decrypt: async (token) => (await store.cipher()).decrypt(token),
    ...sources,
  };
}

/** Returns notices that report in sentences what a person should know about the calls of a model. */
export function noticesFor(report: (line: string) => void): NonNullable<ModelOptions['notices']> {
  return {
    onChange: report,
    onWithheldKey: (baseUrl) => report(withheldKey(baseUrl)),
    onAssumedPrices: ({ model, baseUrl }) =>
      report(
        `The prices and the context window of ${model} at ${new URL(baseUrl).origin} are assumed: those of its maker.`,
      ),
    onPromptCut: ({ readTokens, sentTokens, contextWindow }) =>
      report(
        contextWindow === undefined
          ? `The server read ${readTokens} of about ${sentTokens} tokens: raise its context length (OLLAMA_CONTEXT_LENGTH).`
          : `The server read ${readTokens} tokens, more than the known context window of ${contextWindow}.`,
      ),
    onRetry: ({ attempt, delayMs, error }, attempts) =>
      report(`${error.sentence} Retrying in ${(delayMs / 1000).toFixed(1)} s (${attempt + 1}/${attempts}).`),
    onNotice: (notice) => report(describeNotice(notice)),
    onSwitch: (name) => report(`${name} does not support tools: switching to calls as text (--function-calling mock).`),
  };
}

function withheldKey(stored: string): string {
  const what = `LLM_API_KEY is not sent to ${new URL(stored).origin}, which only the log of the conversation names`;
  return `${what}. If the key is for that server, add --base-url ${shellWord(stored)}.`;
}

function otherServer({ message }: SettingsError, settings: Settings): CliError {
  const { address, name } = serverIn(settings.get('llm.model') ?? '');
  const hint = `To send all of the conversation there, add --base-url ${address} and use --model ${name}.`;
  return new CliError(exitCodes.usage, message, hint);
}

/** Converts errors in the name of a model, and missing keys, to usage errors. */
function withHint(error: unknown, hintForKey: string): unknown {
  if (!(error instanceof LlmError)) return error;
  if (error.code === 'unauthenticated')
    return new CliError(exitCodes.usage, error.message, hintForKey, { cause: error });
  const known = Object.keys(providers).join(', ');
  const hint = `A model is NAME or PROVIDER/NAME. The providers are: ${known}.`;
  return new CliError(exitCodes.usage, error.message, hint);
}

/** @throws {CliError} `usage` for an address that is invalid, or contains a password. */
export function checkUrl(url: string | undefined): void {
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
