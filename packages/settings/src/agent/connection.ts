import { providers, makerOf } from '@varve/llm';
import type { Variables } from '@varve/text';
import { llmFields, type LlmField, type LlmValues } from '../definitions/llm-fields.ts';
import type { Settings } from '../layers/resolve-settings.ts';
import type { Origin } from '../layers/origin.ts';
import type { ModelAddress } from '../profiles/capabilities.ts';
import { serverIn } from './stored-model.ts';

/** Key of a source: a reference (`env:NAME`, `secret:NAME`), or the text that the reference wrote into a profile. */
export type KeyPlace = { readonly ref: string } | { readonly text: string };

/** Values of the model of one source. */
export interface ModelSource {
  readonly name: 'flag' | 'variable' | 'agent-profile' | 'profile' | 'user';
  readonly values: LlmValues;
  readonly key?: KeyPlace;
  /** True if the address is that of OPENAI_BASE_URL, which is often set for other programs. */
  readonly isAmbientAddress: boolean;
}

/** Server, name and values of a model to create. */
export interface Connection {
  /** Name or reference; undefined if no source names a model, but a server. */
  readonly model: string | undefined;
  readonly baseUrl: string | undefined;
  readonly values: LlmValues;
}

/** Model of OpenAI if no source names one. */
const defaultModel = 'gpt-5.1';

/**
 * Chooses server, name and values of a model. Each field comes from the strongest source. An address of a weaker source
 * does not apply to a model whose reference names another server.
 */
export function chooseConnection(sources: readonly ModelSource[]): Connection {
  const values: Partial<Record<LlmField, unknown>> = {};
  for (const { values: each } of sources.toReversed()) Object.assign(values, each);
  const modelAt = sources.findIndex(({ values: { model } }) => model !== undefined);
  const named = sources[modelAt]?.values.model;
  const baseUrl = addressFor(sources, modelAt, named);
  return { model: named ?? (baseUrl === undefined ? defaultModel : undefined), baseUrl, values: checked(values) };
}

/**
 * Returns the key for a server; undefined to use that of a known provider. The key of a file is used only at the server
 * that the same file names, and then preferred to LLM_API_KEY. That one is not used at a server other than the one that
 * the environment names, and without one not at a server that only a log names, unless that is a known provider.
 */
export function keyFor(sources: readonly ModelSource[], address: string, isFromLog = false): KeyPlace | undefined {
  const server = origin(address);
  const ownServer = ({ values }: ModelSource): string | undefined =>
    serverOf(values.base_url, values.model ?? defaultModel);
  const stored = sources.find((source) => source.name !== 'variable' && source.key && ownServer(source) === server);
  if (stored) return stored.key;
  const environment = sources.find(({ name }) => name === 'variable');
  const { base_url: named = serverIn(environment?.values.model ?? '').address } = environment?.values ?? {};
  const known = named === undefined ? Object.values(providers).map(({ baseUrl }) => baseUrl) : [named];
  const isFor = (named === undefined && !isFromLog) || known.some((url) => origin(url) === server);
  return isFor ? environment?.key : undefined;
}

/**
 * Returns the prices of a model in US dollars for a million tokens: those of the strongest source that states both, and
 * either names this model or none.
 */
export function pricesFor(
  sources: readonly ModelSource[],
  { model, baseUrl }: ModelAddress,
): { readonly input: number; readonly output: number } | undefined {
  for (const { values } of sources) {
    const { input_cost_per_token: input, output_cost_per_token: output, model: reference, base_url: address } = values;
    if (input === undefined || output === undefined) continue;
    const isOfModel = reference === undefined || `/${reference}`.replace('#', '/').endsWith(`/${model}`);
    const { address: server = baseUrl } = address === undefined ? serverIn(reference ?? '') : { address };
    if (isOfModel && origin(server) === origin(baseUrl)) return { input: input * 1e6, output: output * 1e6 };
  }
  return undefined;
}

/** Tests whether the environment contains a key. */
export function hasVariableKey(sources: readonly ModelSource[]): boolean {
  return sources.some(({ name, key }) => name === 'variable' && key !== undefined);
}

function addressFor(sources: readonly ModelSource[], modelAt: number, model: string | undefined): string | undefined {
  for (const [at, { values, isAmbientAddress }] of sources.entries()) {
    const { base_url: address } = values;
    if (address === undefined) continue;
    // OPENAI_BASE_URL is often set for other programs, so it does not move a model of a file.
    if (isAmbientAddress && modelAt > at) continue;
    const named = model === undefined || modelAt >= at ? undefined : serverIn(model).address;
    const isOther = named !== undefined && origin(named) !== origin(address) && !isRouter(address);
    if (!isOther) return address;
  }
  return undefined;
}

/** Returns the values of each source, the strongest first: flags, environment, agent profile, profile, user file. */
export function modelSources(
  settings: Settings,
  profile: ProfileValues | undefined,
  env: Variables,
): readonly ModelSource[] {
  const byName = new Map<ModelSource['name'], Partial<Record<LlmField, unknown>>>();
  for (const field of Object.keys(llmFields) as LlmField[]) {
    const entry = settings.entry(`llm.${field}`);
    for (const { value, origin: place } of entry ? [...entry.hidden.toReversed(), entry] : []) {
      const name = sourceName(place);
      byName.set(name, { ...byName.get(name), [field]: value });
    }
  }
  if (profile) byName.set('profile', profile.values);
  return (['flag', 'variable', 'agent-profile', 'profile', 'user'] as const).flatMap((name) => {
    const values = byName.get(name);
    return values ? [sourceOf(name, { values: checked(values), profile, env })] : [];
  });
}

/** Values of a model profile, and the key that the reference wrote into it. */
export interface ProfileValues {
  readonly values: LlmValues;
  readonly storedKey: string | undefined;
}

function sourceOf(
  name: ModelSource['name'],
  {
    values,
    profile,
    env,
  }: { readonly values: LlmValues; readonly profile: ProfileValues | undefined; readonly env: Variables },
): ModelSource {
  const { api_key_ref: ref } = values;
  const storedKey = name === 'profile' ? profile?.storedKey : undefined;
  const key = ref !== undefined ? { ref } : storedKey === undefined ? undefined : { text: storedKey };
  const isAmbientAddress = name === 'variable' && !env['VARVE_LLM_BASE_URL'] && !env['LLM_BASE_URL'];
  return { name, values, isAmbientAddress, ...(key && { key }) };
}

/** Every value has passed the schema of its field. */
function checked(values: Partial<Record<LlmField, unknown>>): LlmValues {
  return values as LlmValues;
}

function sourceName(place: Origin): ModelSource['name'] {
  // No project file contains a setting of a model.
  if (place.kind === 'file') return place.layer === 'project' ? 'user' : place.layer;
  return place.kind === 'flag' ? 'flag' : place.kind === 'variable' ? 'variable' : 'user';
}

/** Returns scheme, host and port of the server of a model. */
function serverOf(baseUrl: string | undefined, model: string | undefined): string | undefined {
  return origin(baseUrl ?? serverIn(model ?? '').address ?? providers[makerOf(model ?? '')]?.baseUrl ?? '');
}

function origin(address: string): string | undefined {
  return URL.parse(address)?.origin;
}

/** Tests for a router: names of its models begin with a maker, and some makers are providers too. It reports costs. */
export function isRouter(address: string): boolean {
  return URL.parse(address)?.hostname === 'openrouter.ai';
}
