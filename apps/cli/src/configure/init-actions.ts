import { modelAddress } from '@varve/settings/agent';
import { capabilityCache, modelProfiles } from '@varve/settings/profiles';
import { isLoopback } from '@varve/text';
import { commandName } from '../terminal/command-name.ts';
import { modelOptions } from '../home/configured-model.ts';
import { secretsOf } from '../home/secrets.ts';
import { settingsFor } from '../home/settings.ts';
import { varveHome } from '../home/varve-home.ts';
import { styled } from '../terminal/output.ts';
import type { TerminalIo } from '../terminal/terminal-io.ts';
import { chooseModel, tryModel } from './init-model.ts';
import { asker, type InitOptions } from './init-questions.ts';
import { chooseKey, chooseServer, type ChosenKey, type ChosenServer } from './init-server.ts';

/**
 * Asks for provider, key and model, calls the model once, saves the answers as a model profile, and makes it that of
 * the agent. Nothing is saved before all answers are checked.
 */
export async function initialise(options: InitOptions, io: TerminalIo): Promise<void> {
  const home = varveHome(io);
  const questions = { options, ask: await asker(io), io };
  const server = await chooseServer(questions);
  const key = await chooseKey(server, questions);
  const model = await chooseModel(server, key, questions);
  const reference = server.isProvider ? `${server.name}/${model}` : model;
  await tryModel(reference, server, key, questions);
  const keyRef = key.isTyped ? await storeKey(server, key, io) : key.ref;
  const profiles = modelProfiles(home);
  await profiles.save(server.name, {
    model: reference,
    ...(!server.isProvider && { base_url: server.baseUrl }),
    ...(keyRef !== undefined && { api_key_ref: keyRef }),
  });
  await profiles.activate(server.name);
  io.stderr.line(
    styled(
      'green',
      `Saved the profile ${server.name} in ${home}. Try: ${commandName(io)} run "Explain this repository"`,
    ),
  );
  if (isLoopback(server.baseUrl) && !options.offline) await probe(io);
}

/** Stores a typed key, encrypted, and returns the reference to it. */
async function storeKey({ name: server }: ChosenServer, { value = '' }: ChosenKey, io: TerminalIo): Promise<string> {
  const name = `${server.replaceAll(/[^A-Za-z0-9]/g, '_').replace(/^[^A-Za-z]/, 'K')}_KEY`.slice(0, 64).toUpperCase();
  await secretsOf(io).set(name, { kind: 'StaticSecret', value, description: `Key of ${server}` });
  return `secret:${name}`;
}

/** Remembers what the server reports about the model. */
async function probe(io: TerminalIo): Promise<void> {
  const options = modelOptions(io, { settings: await settingsFor(io) });
  const capabilities = await capabilityCache(varveHome(io), options).probe(await modelAddress(options));
  const { contextWindow } = capabilities;
  if (contextWindow !== undefined) io.stderr.line(styled('dim', `Its context has ${contextWindow} tokens.`));
}
