import { providers, refusesWithoutKey } from '@varve/llm';
import { localServers, type LocalServer } from '@varve/settings/profiles';
import { isLoopback } from '@varve/text';
import { CliError } from '../failures/cli-error.ts';
import { exitCodes } from '../failures/exit-codes.ts';
import { checkUrl } from '../home/configured-model.ts';
import { styled } from '../terminal/output.ts';
import type { TerminalIo } from '../terminal/terminal-io.ts';
import type { Questions } from './init-questions.ts';

/** Server of the chosen provider. */
export interface ChosenServer {
  /** Name of the profile. */
  readonly name: string;
  readonly baseUrl: string;
  /** False for an address, whose models have no provider in front. */
  readonly isProvider: boolean;
  readonly keyName: string | undefined;
}

/** Asks for a provider or an address. */
export async function chooseServer({ options: { provider }, ask, io }: Questions): Promise<ChosenServer> {
  if (provider !== undefined) return serverOf(provider);
  const local = await localServers();
  const names = [...local.map((server) => server.provider), ...hostedProviders()];
  for (const [index, name] of names.entries()) printServer(index, name, local[index], io);
  const [first = 'openai'] = names;
  const answer = (await ask(`Provider (number, name, or the address of any server) [${first}]: `)) || first;
  return serverOf(/^\d+$/.test(answer) ? (names[Number(answer) - 1] ?? answer) : answer);
}

function hostedProviders(): readonly string[] {
  const hosted = Object.entries(providers).filter(([, { keyName, protocol }]) => keyName && protocol === undefined);
  return hosted.map(([name]) => name);
}

function printServer(index: number, name: string, local: LocalServer | undefined, { stderr }: TerminalIo): void {
  const note = local ? `on this machine, ${local.models.length} models` : providers[name]?.baseUrl;
  stderr.line([`${String(index + 1).padStart(3)}  ${name.padEnd(12)}`, styled('dim', note ?? '')]);
}

function serverOf(answer: string): ChosenServer {
  const known = Object.hasOwn(providers, answer) ? providers[answer] : undefined;
  if (known) return { name: answer, baseUrl: known.baseUrl, isProvider: true, keyName: known.keyName };
  if (!/^https?:/.test(answer)) {
    const hint = `The providers are: ${Object.keys(providers).join(', ')}.`;
    throw new CliError(exitCodes.usage, `"${answer}" is neither a provider nor an address.`, hint);
  }
  checkUrl(answer);
  const name = new URL(answer).hostname.replaceAll(/[^A-Za-z0-9.-]/g, '').slice(0, 64) || 'server';
  return { name, baseUrl: answer, isProvider: false, keyName: undefined };
}

/** Key of the chosen server. */
export interface ChosenKey {
  /** Absent for a server without keys, and for a variable that is not set. */
  readonly value?: string | undefined;
  /** Reference of the profile; absent if the key is typed, or that of the provider's variable. */
  readonly ref?: string;
  /** Description of the key in messages. */
  readonly name: string;
  readonly isTyped?: true;
}

/** Asks for a key. A server on this machine is asked first whether it needs one. */
export async function chooseKey(server: ChosenServer, { options, ask, io }: Questions): Promise<ChosenKey> {
  const { keyName = 'LLM_API_KEY', baseUrl } = server;
  const valueOf = (variable: string): string | undefined => io.env[variable]?.trim() || undefined;
  if (options.keyEnv !== undefined) {
    return { ref: `env:${options.keyEnv}`, value: valueOf(options.keyEnv), name: `the variable ${options.keyEnv}` };
  }
  const isLocal = isLoopback(baseUrl);
  if (isLocal && (options.offline || !(await refusesWithoutKey({ baseUrl })))) return { name: 'no key' };
  const state = valueOf(keyName) === undefined ? 'which is not set' : 'which is set';
  const key = await ask(`Key (not shown; empty to use the variable ${keyName}, ${state}): `, 'hidden');
  if (key !== '') return { value: key, name: 'the key that was typed', isTyped: true };
  const ofVariable = { value: valueOf(keyName), name: `the variable ${keyName}` };
  return server.keyName === undefined ? { ...ofVariable, ref: `env:${keyName}` } : ofVariable;
}
