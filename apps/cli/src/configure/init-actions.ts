import { text as readAll } from 'node:stream/consumers';
import { providers } from '@varve/llm';
import { isLoopback } from '@varve/text';
import { capabilityCache, localServers, modelProfiles, type LocalServer } from '@varve/settings/profiles';
import { modelAddress } from '@varve/settings/agent';

import { commandName } from '../command-name.ts';
import { CliError } from '../cli-error.ts';
import { exitCodes } from '../exit-codes.ts';
import { checkUrl, modelOptions } from '../setup/configured-model.ts';
import { secretsOf } from '../setup/secrets.ts';
import { settingsFor } from '../setup/settings.ts';
import { varveHome } from '../setup/varve-home.ts';
import { fitted } from '../terminal/columns.ts';
import { styled } from '../terminal/output.ts';
import { firstRow } from '../terminal/rows.ts';
import type { TerminalIo } from '../terminal/terminal-io.ts';

/** Most columns of the name of a model in a list, and in a question. */
const maxName = 300;
const maxQuoted = 40;

/** Answers of `varve init` in its options. */
export interface InitOptions {
  readonly provider?: string;
  readonly keyEnv?: string;
  readonly model?: string;
}

/** Server of the chosen provider. */
interface Choice {
  /** Name of the profile. */
  readonly name: string;
  readonly baseUrl: string;
  /** False for an address, whose models have no provider in front. */
  readonly isProvider: boolean;
  readonly keyName: string | undefined;
  readonly models: readonly string[];
}

/** Asks a question. The answer is trimmed, and empty if the input has ended. */
type Ask = (question: string, isHidden?: boolean) => Promise<string>;

/** Asks for provider, key and model, saves them as a model profile, and makes it that of the agent. */
export async function initialise(options: InitOptions, io: TerminalIo): Promise<void> {
  const home = varveHome(io);
  const ask = await asker(io);
  const choice = await chooseServer(options, ask, io);
  const keyRef = await chooseKey(choice, { options, ask, io });
  const model = await chooseModel(choice, { options, ask, io });
  const profiles = modelProfiles(home);
  await profiles.save(choice.name, {
    model: choice.isProvider ? `${choice.name}/${model}` : model,
    ...(!choice.isProvider && { base_url: choice.baseUrl }),
    ...(keyRef !== undefined && { api_key_ref: keyRef }),
  });
  await profiles.activate(choice.name);
  io.stderr.line(
    styled(
      'green',
      `Saved the profile ${choice.name} in ${home}. Try: ${commandName(io)} run "Explain this repository"`,
    ),
  );
  if (isLoopback(choice.baseUrl)) await probe(io);
}

/** On a terminal questions are asked one by one; otherwise the answers are the lines of standard input. */
async function asker(io: TerminalIo): Promise<Ask> {
  if (io.stdin.isTTY) {
    const { signal } = new AbortController();
    return async (question, isHidden = false) => {
      const answer = isHidden ? await io.askHidden(question) : await io.ask(question, signal);
      if (answer === undefined) throw new CliError(exitCodes.interrupted, 'Nothing was changed.');
      return answer.trim();
    };
  }
  const lines = (await readAll(io.stdin)).split('\n');
  return async (question) => {
    io.stderr.line(question);
    return lines.shift()?.trim() ?? '';
  };
}

async function chooseServer({ provider }: InitOptions, ask: Ask, io: TerminalIo): Promise<Choice> {
  if (provider !== undefined) return choiceOf(provider, []);
  const local = await localServers();
  const hosted = Object.entries(providers).filter(([, { keyName, protocol }]) => keyName && protocol === undefined);
  const names = [...local.map((server) => server.provider), ...hosted.map(([name]) => name)];
  for (const [index, name] of names.entries()) {
    const server = local[index];
    const note = server ? `on this machine, ${server.models.length} models` : providers[name]?.baseUrl;
    io.stderr.line([`${String(index + 1).padStart(3)}  ${name.padEnd(12)}`, styled('dim', note ?? '')]);
  }
  const [first = 'openai'] = names;
  const answer = (await ask(`Provider (number, name, or the address of any server) [${first}]: `)) || first;
  return choiceOf(/^\d+$/.test(answer) ? (names[Number(answer) - 1] ?? answer) : answer, local);
}

async function choiceOf(answer: string, local: readonly LocalServer[]): Promise<Choice> {
  const known = Object.hasOwn(providers, answer) ? providers[answer] : undefined;
  if (known) {
    const models = local.find(({ provider }) => provider === answer)?.models ?? [];
    return { name: answer, baseUrl: known.baseUrl, isProvider: true, keyName: known.keyName, models };
  }
  if (!/^https?:/.test(answer)) {
    const hint = `The providers are: ${Object.keys(providers).join(', ')}.`;
    throw new CliError(exitCodes.usage, `"${answer}" is neither a provider nor an address.`, hint);
  }
  checkUrl(answer);
  const name = new URL(answer).hostname.replaceAll(/[^A-Za-z0-9.-]/g, '').slice(0, 64) || 'server';
  return { name, baseUrl: answer, isProvider: false, keyName: undefined, models: [] };
}

interface QuestionContext {
  readonly options: InitOptions;
  readonly ask: Ask;
  readonly io: TerminalIo;
}

/** Returns the reference to the key; undefined if none is needed, or the variable of the provider is used. */
async function chooseKey(choice: Choice, { options, ask, io }: QuestionContext): Promise<string | undefined> {
  if (options.keyEnv !== undefined) return `env:${options.keyEnv}`;
  if (isLoopback(choice.baseUrl)) return undefined;
  const { keyName = 'LLM_API_KEY' } = choice;
  const state = io.env[keyName] ? 'which is set' : 'which is not set';
  const key = await ask(`Key (not shown; empty to use the variable ${keyName}, ${state}): `, true);
  if (key === '') return choice.keyName === undefined ? `env:${keyName}` : undefined;
  const name = `${choice.name.replaceAll(/[^A-Za-z0-9]/g, '_').replace(/^[^A-Za-z]/, 'K')}_KEY`
    .slice(0, 64)
    .toUpperCase();
  const store = secretsOf(io);
  await store.set(name, { kind: 'StaticSecret', value: key, description: `Key of ${choice.name}` });
  return `secret:${name}`;
}

/** A server names its models as it likes: each name has a row of its own, whose beginning is not the server's. */
async function chooseModel(choice: Choice, { options: { model }, ask, io }: QuestionContext): Promise<string> {
  if (model !== undefined) return model;
  const [first = choice.name === 'openai' ? 'gpt-5.1' : undefined] = choice.models;
  const known = choice.models.length > 1 ? choice.models.slice(0, 20) : [];
  for (const name of known)
    io.stderr.line(styled('dim', firstRow(`  ${fitted(name, maxName)}`, io.stderr.columns - 1)));
  const answer = (await ask(`Model${first === undefined ? '' : ` [${fitted(first, maxQuoted)}]`}: `)) || first;
  if (answer === undefined) throw new CliError(exitCodes.usage, 'No model was named.', 'Name it with --model.');
  return answer;
}

/** Remembers what the server reports about the model. */
async function probe(io: TerminalIo): Promise<void> {
  const options = modelOptions(io, { settings: await settingsFor(io) });
  const found = await capabilityCache(varveHome(io), options).probe(await modelAddress(options));
  const { contextWindow } = found;
  if (contextWindow !== undefined) io.stderr.line(styled('dim', `Its context has ${contextWindow} tokens.`));
}
