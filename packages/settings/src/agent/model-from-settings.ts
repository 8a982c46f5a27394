import {
  type ModelWrapper,
  functionCalling,
  modelFrom,
  providers,
  retry,
  type FunctionCallingOptions,
  type LanguageModel,
  type ModelFromOptions,
  type RetryNotice,
} from '@varve/llm';
import { explainFailures, dumpsFrom, meterCalls, modelCatalog, omitReasoning } from '@varve/llm/wrappers';
import { join } from 'node:path';
import { nameProxy } from '@varve/llm/network';
import { isLoopback, type Variables, withoutUndefined } from '@varve/text';
import * as z from 'zod';
import { lazy } from '@varve/events';
import type { LlmValues } from '../definitions/llm-fields.ts';
import { SettingsError } from '../error.ts';
import type { SettingKey } from '../definitions/settings.ts';
import type { Settings } from '../layers/resolve-settings.ts';
import { capabilityCache, type ModelAddress } from '../profiles/capabilities.ts';
import { connectedProfile, llmValuesOf, storedKeyOf } from '../profiles/model-profile.ts';
import { modelProfiles, type ModelRole } from '../profiles/model-profiles.ts';
import {
  chooseConnection,
  hasVariableKey,
  isRouter,
  keyFor,
  modelSources,
  pricesFor,
  type Connection,
  type KeyPlace,
  type ModelSource,
  type ProfileValues,
} from './connection.ts';
import { changeTo, resumedModel, type StoredModel } from './stored-model.ts';

/** Notices of a model for a person. None of them may throw. */
export interface ModelNotices {
  readonly onPromptCut?: NonNullable<ModelFromOptions['onPromptCut']>;
  /** Before each wait; `attempts` is the maximum number. */
  readonly onRetry?: (notice: RetryNotice, attempts: number) => void;
  readonly onNotice?: NonNullable<FunctionCallingOptions['onNotice']>;
  /** The server rejects tools, and calls are sent as text from now on. */
  readonly onSwitch?: (modelName: string) => void;
  /** The model of a resumed conversation changes; the text describes it. */
  readonly onChange?: (change: string) => void;
  /** Prices and context window of the model are assumed to be those of its maker: the server is not known. */
  readonly onAssumedPrices?: (model: ModelAddress) => void;
  /** The key of the environment is not sent to the server, which only the log of the conversation names. */
  readonly onWithheldKey?: (baseUrl: string) => void;
}

/** Options of {@link modelFromSettings}. */
export interface ModelOptions {
  readonly settings: Settings;
  /** Varve's data directory. */
  readonly home: string;
  readonly env: Variables;
  /** UTC milliseconds. */
  readonly now: () => number;
  /** Use of the model; `agent` by default. A role without a profile has that of the agent. */
  readonly role?: ModelRole;
  /** Name of a profile in place of that of the role. */
  readonly profile?: string;
  /** Model of a resumed conversation. Only flags change it. */
  readonly stored?: StoredModel;
  /** Returns a secret of the store by its name, for references `secret:NAME`; none is known when absent. */
  readonly secret?: (name: string) => Promise<string | undefined>;
  /** Decrypts a key that the reference wrote into a profile. */
  readonly decrypt?: (token: string) => Promise<string | undefined>;
  readonly fetch?: typeof globalThis.fetch;
  readonly native?: ModelFromOptions['native'];
  readonly notices?: ModelNotices;
}

/** A model, and the keys that must never reach the log. */
export interface ConfiguredModel {
  readonly model: LanguageModel;
  readonly secrets: readonly string[];
  /** False if nothing is known about the price of its calls. */
  readonly isPriced: boolean;
  /** Resolves when all dumps of calls are written. */
  readonly flushDumps: () => Promise<void>;
}

/** Attempts of one call if no setting contains a number. */
const defaultAttempts = 5;

/**
 * Creates the model of a role with its wrappers: prices, dumps, retries, and calls as text. A key is sent to its own
 * server only; a server on this machine needs none.
 *
 * @throws {SettingsError} `no-model` for a server without the name of a model, `no-key` for a key reference without a
 *   value, `other-server`, `missing` for a missing profile; {@link LlmError} for an unknown provider or a missing key.
 */
export async function modelFromSettings(options: ModelOptions): Promise<ConfiguredModel> {
  const { home, env, notices = {} } = options;
  const { reference, apiKey, keyName, adapter, attempts, mode, omitsReasoning, sources } = await chooseModel(options);
  const secrets = [...new Set([...providerKeys(env), ...(apiKey === undefined ? [] : [apiKey])])];
  const fetchOption = options.fetch && { fetch: options.fetch };
  const dumps = dumpsFrom(env, { path: join(home, 'completions'), secrets, ...fetchOption });
  const base: ModelFromOptions = { keys: env, ...adapter, ...(apiKey !== undefined && { apiKey }) };
  const address = addressOf(reference, adapter);
  // Servers on this machine have no prices, and their own context windows.
  const catalog = isLoopback(address.baseUrl) ? undefined : await modelCatalog();
  const listed = catalog?.find(address);
  const prices = pricesFor(sources, address);
  if (listed?.isAssumed && !prices) notices.onAssumedPrices?.(address);
  const created = modelFrom(reference, {
    ...(await capabilityCache(home, options).known(address)),
    ...base,
    ...(catalog && { catalog }),
    native: options.native,
    ...(dumps ? { fetch: dumps.fetch } : fetchOption),
    ...(notices.onPromptCut && { onPromptCut: notices.onPromptCut }),
  });
  const plain = omitsReasoning ? omitReasoning()(created) : created;
  const named = nameProxy(env)(nameKey(keyName ?? variableAt(address.baseUrl, env))(plain));
  const meter = { ...(prices && { prices }), ...(catalog && { catalog: async () => catalog }) };
  const priced = prices || catalog ? meterCalls(meter)(named) : named;
  const isPriced = prices !== undefined || listed?.isPriced === true || isRouter(address.baseUrl);
  const onRetry = (notice: RetryNotice): void => notices.onRetry?.(notice, attempts);
  const retrying = retry({ attempts, onRetry })(dumps ? dumps.wrap(priced) : priced);
  const model = functionCalling({
    mode,
    ...(notices.onNotice && { onNotice: notices.onNotice }),
    onSwitch: () => notices.onSwitch?.(retrying.name),
  })(retrying);
  return { model, secrets, isPriced, flushDumps: async () => dumps?.flush() };
}

/** Returns the server of the model of a role, its name there and its key, for `CapabilityCache.probe`. */
export async function modelAddress(options: ModelOptions): Promise<ModelAddress & { readonly apiKey?: string }> {
  const { reference, apiKey, adapter } = await chooseModel(options);
  const key = apiKey === undefined ? {} : { apiKey };
  return { ...addressOf(reference, adapter), ...key };
}

/** Model to create, without the value of its key. */
interface Choice {
  readonly reference: string;
  readonly adapter: Partial<ModelFromOptions>;
  readonly key: KeyPlace | undefined;
  readonly mode: NonNullable<LlmValues['function_calling']>;
  /** What differs from the log, for the user. */
  readonly change?: string;
}

interface ChosenModel extends Omit<Choice, 'key' | 'change'> {
  readonly apiKey: string | undefined;
  /** Description of `apiKey` for errors. */
  readonly keyName: string | undefined;
  readonly attempts: number;
  readonly omitsReasoning: boolean;
  readonly sources: readonly ModelSource[];
}

async function chooseModel(options: ModelOptions): Promise<ChosenModel> {
  const { settings, env, stored, notices = {} } = options;
  const sources = modelSources(settings, await profileOf(options), env);
  const connection = chooseConnection(
    hasOwnProfile(options) ? sources.filter(({ name }) => name === 'profile') : sources,
  );
  // A profile that is named for this run replaces the model of the log.
  const isResumed = stored && settings.entry('roles.agent')?.origin.kind !== 'flag';
  const choice = isResumed ? resumedChoice(stored, sources, options) : configuredChoice(connection, sources, stored);
  const { key, change, ...chosen } = choice;
  if (change !== undefined) notices.onChange?.(change);
  return {
    ...chosen,
    apiKey: await keyValue(key, options),
    keyName: descriptionOf(key),
    attempts: connection.values.num_retries ?? defaultAttempts,
    omitsReasoning: connection.values.omit_reasoning === true,
    sources,
  };
}

function resumedChoice(
  stored: StoredModel,
  sources: readonly ModelSource[],
  { settings, notices }: ModelOptions,
): Choice {
  const flags = flagsOf(settings);
  const { reference, baseUrl, settings: kept, change } = resumedModel(stored, flags);
  const key = keyFor(sources, baseUrl, flags.baseUrl === undefined);
  if (!key && hasVariableKey(sources)) notices?.onWithheldKey?.(baseUrl);
  const parameters = { ...kept.parameters, ...flaggedParameters(settings) };
  const adapter = {
    ...kept,
    ...withAddress(reference, baseUrl),
    ...(Object.keys(parameters).length > 0 && { parameters }),
  };
  const mode = flags.functionCalling ?? stored.functionCalling;
  return { reference, adapter, key, mode, ...(change !== undefined && { change }) };
}

function configuredChoice(
  { model, baseUrl, values }: Connection,
  sources: readonly ModelSource[],
  stored: StoredModel | undefined,
): Choice {
  if (model === undefined) throw new SettingsError('no-model', `The server ${baseUrl} needs a model name.`);
  const adapter = { ...adapterOptions(values), ...withAddress(model, baseUrl) };
  const address = addressOf(model, adapter);
  const key = keyFor(sources, address.baseUrl);
  const mode = values.function_calling ?? 'auto';
  return { reference: model, adapter, key, mode, ...(stored && changeTo(stored, address)) };
}

/** An address in the reference is complete. */
function withAddress(reference: string, baseUrl: string | undefined): { readonly baseUrl?: string } {
  return baseUrl === undefined || /^https?:/.test(reference) ? {} : { baseUrl };
}

/** Flags, variables and the user file describe the model of the agent, not those that a profile of their own names. */
function hasOwnProfile({ settings, role = 'agent', profile }: ModelOptions): boolean {
  return profile !== undefined || (role !== 'agent' && settings.get(`roles.${role}`) !== undefined);
}

async function profileOf(options: ModelOptions): Promise<ProfileValues | undefined> {
  const { settings, home, role = 'agent', profile } = options;
  const name = profile ?? settings.get(`roles.${role}`) ?? settings.get('roles.agent');
  if (name === undefined) return undefined;
  const stored = await modelProfiles(home).read(name);
  const record = connectedProfile(stored, settings.get('reference.provider_connections'), name);
  return { values: llmValuesOf(record, name), storedKey: storedKeyOf(record) };
}

function flagsOf(settings: Settings) {
  const isFlag = (key: SettingKey): boolean => settings.entry(key)?.origin.kind === 'flag';
  const [model, baseUrl] = [settings.get('llm.model'), settings.get('llm.base_url')];
  const functionCalls = settings.get('llm.function_calling');
  return {
    ...(model !== undefined && isFlag('llm.model') && { model }),
    ...(baseUrl !== undefined && isFlag('llm.base_url') && { baseUrl }),
    ...(functionCalls !== undefined && isFlag('llm.function_calling') && { functionCalling: functionCalls }),
  };
}

/** Returns the parameters of requests that flags set: they are stronger than those of a stored conversation. */
function flaggedParameters(settings: Settings): ModelFromOptions['parameters'] {
  const flagged = <Key extends SettingKey>(key: Key) =>
    settings.entry(key)?.origin.kind === 'flag' ? settings.get(key) : undefined;
  return withoutUndefined({
    temperature: flagged('llm.temperature'),
    topP: flagged('llm.top_p'),
    reasoningEffort: flagged('llm.reasoning_effort'),
    seed: flagged('llm.seed'),
  });
}

function adapterOptions(values: LlmValues): Partial<ModelFromOptions> {
  const { temperature, top_p: topP, reasoning_effort: reasoningEffort, seed, api_mode: mode } = values;
  return withoutUndefined({
    parameters: withoutUndefined({ temperature, topP, reasoningEffort, seed }),
    contextWindow: values.max_input_tokens,
    maxOutputTokens: values.max_output_tokens,
    stream: values.stream,
    vision: values.disable_vision === true ? false : values.vision,
    timeoutMs: values.timeout === undefined ? undefined : values.timeout * 1000,
    protocol: mode === 'auto' ? undefined : mode,
  });
}

/** Returns the name of a key for a person, never its value. */
function descriptionOf(place: KeyPlace | undefined): string | undefined {
  if (!place) return undefined;
  if (!('ref' in place)) return 'the key of the profile';
  const [kind, name] = place.ref.split(':');
  return kind === 'env' ? `the variable ${name}` : `the secret ${name}`;
}

/** Returns the variable of the provider at an address, as its adapter uses it; undefined if it is not set. */
function variableAt(baseUrl: string, env: Variables): string | undefined {
  const { origin } = new URL(baseUrl);
  const match = Object.values(providers).find((provider) => new URL(provider.baseUrl).origin === origin);
  const name = match?.keyName;
  return name !== undefined && keyIn(env, name) !== undefined ? `the variable ${name}` : undefined;
}

async function keyValue(place: KeyPlace | undefined, options: ModelOptions): Promise<string | undefined> {
  if (!place) return undefined;
  const name = 'ref' in place ? place.ref : 'the key of the profile';
  const value = 'ref' in place ? await referencedValue(place.ref, options) : await writtenKey(place.text, options);
  if (!value) throw new SettingsError('no-key', `There is no value for ${name}.`);
  return value;
}

async function referencedValue(ref: string, { env, secret }: ModelOptions): Promise<string | undefined> {
  const [kind = '', name = ''] = ref.split(':');
  return kind === 'env' ? keyIn(env, name) : secret?.(name);
}

/** Keys that the reference encrypted begin like any token of its format. */
async function writtenKey(text: string, { decrypt }: ModelOptions): Promise<string | undefined> {
  return text.startsWith('gAAAA') ? decrypt?.(text) : text;
}

/** Returns the server of a reference, and the name there, without a key. @throws {LlmError} `bad-request`. */
function addressOf(reference: string, adapter: Partial<ModelFromOptions>): ModelAddress {
  const { spec } = modelFrom(reference, { ...adapter, apiKey: 'none' });
  return serverSpec().parse(spec);
}

const serverSpec = lazy(() => z.object({ baseUrl: z.string(), model: z.string() }));

/** Returns a trimmed key: environment files may add line feeds. */
function keyIn(env: Variables, name: string): string | undefined {
  return env[name]?.trim() || undefined;
}

/** Returns the keys of all providers, because a program started by the agent may print any of them. */
export function providerKeys(env: Variables): readonly string[] {
  const names = ['LLM_API_KEY', ...Object.values(providers).flatMap(({ keyName }) => keyName ?? [])];
  return [...new Set(names)].flatMap((name) => keyIn(env, name) ?? []);
}

/** Adds to the refusal of a key which one was sent: of several, a person must know which one to replace. */
export function nameKey(name: string | undefined): ModelWrapper {
  const sentence = name === undefined ? 'No key was sent.' : `The key was that of ${name}.`;
  return explainFailures(({ code }) => (code === 'unauthenticated' ? sentence : undefined));
}
