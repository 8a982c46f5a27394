import { lazy, type Json } from '@varve/events';
import { type ModelFromOptions, splitReference, modelParameters } from '@varve/llm';
import * as z from 'zod';
import { SettingsError } from '../error.ts';
import type { ModelAddress } from '../profiles/capabilities.ts';

/** Model that a conversation was last used with, as its log describes it. */
export interface StoredModel {
  readonly name: string;
  readonly baseUrl: string;
  readonly functionCalling: 'native' | 'mock' | 'auto';
  /** Protocol, and settings of the adapter that are not defaults. */
  readonly settings: Pick<ModelFromOptions, keyof z.output<ReturnType<typeof adapterSettings>> | 'protocol'>;
}

const count = lazy(() => z.exactOptional(z.number().positive()));

const adapterSettings = lazy(() =>
  z.object({
    contextWindow: count(),
    maxOutputTokens: count(),
    vision: z.exactOptional(z.boolean()),
    functionCalling: z.exactOptional(z.boolean()),
    stream: z.exactOptional(z.boolean()),
    parameters: z.exactOptional(modelParameters()),
  }),
);

/** Returns the model in the spec of an agent; undefined if it has no address. */
export function storedModel(agent: Json | undefined): StoredModel | undefined {
  let functionCalling: StoredModel['functionCalling'] = 'native';
  for (let spec = objectIn(agent)?.['model']; ;) {
    const { kind, model, baseUrl, mode, ...settings } = objectIn(spec) ?? {};
    if (kind === 'function-calling' && mode === 'auto') functionCalling = 'auto';
    if (kind === 'mock-function-calling') functionCalling = 'mock';
    if (typeof model === 'string') {
      if (typeof baseUrl !== 'string' || !URL.canParse(baseUrl)) return undefined;
      const protocol = kind === 'openai-responses' ? 'responses' : 'chat';
      const { data } = adapterSettings().safeParse(settings);
      return { name: model, baseUrl, functionCalling, settings: { ...data, protocol } };
    }
    if (model === undefined) return undefined;
    spec = model;
  }
}

/** Model of a resumed conversation. */
export interface ResumedModel {
  /** Reference for `modelFrom`. */
  readonly reference: string;
  readonly baseUrl: string;
  readonly settings: Partial<StoredModel['settings']>;
  /** What differs from the log, for the user. */
  readonly change?: string;
}

/**
 * Chooses the model of a resumed conversation: the one of its log, with the chosen name and address. The environment
 * has no part in it, so that a conversation does not go to another server because of a variable.
 *
 * @throws {SettingsError} `other-server` when the model names another server and no address is chosen.
 */
export function resumedModel(
  stored: StoredModel,
  { model, baseUrl }: { readonly model?: string; readonly baseUrl?: string },
): ResumedModel {
  const address = baseUrl ?? stored.baseUrl;
  const [before, after] = [stored.baseUrl, address].map((url) => new URL(url).origin);
  const name = model === undefined ? stored.name : baseUrl === undefined ? nameAt(stored, model) : model;
  const isSame = before === after && name === stored.name;
  return {
    // The address form uses a name as it is; with an address of its own, a reference may begin with `openai/`.
    reference: baseUrl === undefined || model === undefined ? `${address}#${name}` : name,
    baseUrl: address,
    settings: isSame ? stored.settings : before === after ? { protocol: stored.settings.protocol ?? 'chat' } : {},
    ...changeTo(stored, { baseUrl: address, model: name }),
  };
}

/** Returns what differs from the model of the log, for the user. */
export function changeTo(stored: StoredModel, { baseUrl, model }: ModelAddress): Pick<ResumedModel, 'change'> {
  const [before, after] = [stored.baseUrl, baseUrl].map((url) => new URL(url).origin);
  if (before !== after) return { change: `The conversation moves from ${before} to ${after} (model ${model}).` };
  return model === stored.name ? {} : { change: `The model changes from ${stored.name} to ${model}.` };
}

/** Returns the name that a reference has at the stored server. */
function nameAt({ baseUrl }: StoredModel, reference: string): string {
  const { origin, hostname } = new URL(baseUrl);
  const { address, name } = serverIn(reference);
  if (address === undefined || new URL(address).origin === origin) return name;
  // Names at a router begin with a maker, and some makers are providers too.
  if (hostname === 'openrouter.ai' && !/^https?:/.test(reference)) return reference;
  throw new SettingsError(
    'other-server',
    `The conversation is at ${origin}, and the model ${reference} is at ${new URL(address).origin}.`,
  );
}

/** Splits a reference into the address of its server, if it names one, and the name of the model there. */
export function serverIn(reference: string): { readonly address?: string; readonly name: string } {
  const { address, model } = splitReference(reference);
  if (address === undefined || !URL.canParse(address)) return { name: address === undefined ? model : reference };
  return { address, name: model };
}

function objectIn(value: Json | undefined): Readonly<Record<string, Json>> | undefined {
  const isObject = typeof value === 'object' && value !== null && !Array.isArray(value);
  return isObject ? (value as Readonly<Record<string, Json>>) : undefined;
}
