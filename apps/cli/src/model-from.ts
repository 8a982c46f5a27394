import { functionCalling, isLoopback, openaiChat, retry, type LanguageModel } from '@varve/llm';
import { CliError } from './cli-error.ts';
import { exitCodes } from './exit-codes.ts';
import type { TerminalIo } from './terminal-io.ts';

/** What was typed about the model. */
export interface ModelOptions {
  readonly model?: string;
  readonly baseUrl?: string;
  readonly functionCalling: 'native' | 'mock' | 'auto';
}

/** A model, and the key it uses, which must never reach the log. */
export interface ConfiguredModel {
  readonly model: LanguageModel;
  readonly secrets: readonly string[];
}

/** What OpenAI is asked for when nobody names a model. */
const defaultModel = 'gpt-5.1';

/**
 * The model that options and environment name: `--model`/LLM_MODEL, `--base-url`/LLM_BASE_URL/OPENAI_BASE_URL,
 * LLM_API_KEY/OPENAI_API_KEY. A server on this machine needs no key.
 *
 * @throws {CliError} `usage` when there is no key, or no model name for a server other than OpenAI's.
 */
export function modelFrom({ env }: TerminalIo, options: ModelOptions, tell: (line: string) => void): ConfiguredModel {
  const baseUrl = checkedUrl(options.baseUrl ?? (env['LLM_BASE_URL'] || env['OPENAI_BASE_URL'] || undefined));
  const apiKey = env['LLM_API_KEY'] || env['OPENAI_API_KEY'];
  const name = options.model ?? (env['LLM_MODEL'] || (baseUrl === undefined ? defaultModel : undefined));
  if (name === undefined) {
    throw new CliError(
      exitCodes.usage,
      `The server ${baseUrl} needs a model name.`,
      'Name it with --model or LLM_MODEL.',
    );
  }
  if (!apiKey && !(baseUrl !== undefined && isLoopback(baseUrl))) {
    throw new CliError(
      exitCodes.usage,
      'There is no API key.',
      'Set OPENAI_API_KEY (or LLM_API_KEY), or name a server on this machine with --base-url. `varve demo` needs neither.',
    );
  }
  const chat = openaiChat({
    // The reference names a model of any OpenAI-protocol server `openai/NAME`.
    model: name.replace(/^openai\//, ''),
    ...(apiKey && { apiKey }),
    ...(baseUrl !== undefined && { baseUrl }),
  });
  const patient = retry({
    onRetry: ({ attempt, delayMs, error }) =>
      tell(`${error.message} Trying again in ${(delayMs / 1000).toFixed(1)} s (attempt ${attempt + 1}).`),
  })(chat);
  const model = functionCalling({
    mode: options.functionCalling,
    onSwitch: () =>
      tell(`${patient.name} takes no tools: calls are written into the text from now on (--function-calling mock).`),
  })(patient);
  return { model, secrets: apiKey ? [apiKey] : [] };
}

function checkedUrl(url: string | undefined): string | undefined {
  if (url !== undefined && !/^https?:\/\//.test(url)) {
    throw new CliError(
      exitCodes.usage,
      `"${url}" is not the address of a server.`,
      'It starts with http:// or https://.',
    );
  }
  return url;
}
