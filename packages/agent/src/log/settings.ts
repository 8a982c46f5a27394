import { isDeepStrictEqual } from 'node:util';
import { lazy, type Json } from '@varve/events';
import type { ConversationSettings } from '@varve/events/facts';
import type { Mask } from '@varve/text';
import type { ClientToolSpec } from '@varve/tools';
import { withoutUndefined } from '@varve/text';
import * as z from 'zod';
import { readMeta, type ConversationMeta } from './conversation-meta.ts';
import type { LoggedSettings } from './projections/settings-projection.ts';

/** Parts of an open conversation that its settings describe. */
export interface SettingsSource {
  readonly agent: { readonly spec: Json };
  readonly workspace: string;
  readonly clientTools: readonly ClientToolSpec[];
  /** Id of the parent conversation. */
  readonly parent?: string;
  /** Replaces secrets. */
  readonly mask: Mask;
}

/** Returns the settings as the log and the `meta` contain them: plain JSON without secrets. */
export function settingsOf({ agent, workspace, clientTools, parent, mask }: SettingsSource): ConversationSettings {
  const settings = {
    workspace,
    agent: agent.spec,
    ...(clientTools.length > 0 && { client_tools: clientTools }),
    ...(parent !== undefined && { parent }),
  };
  return mask(JSON.parse(JSON.stringify(settings)) as ConversationSettings);
}

/** Returns the `meta` of a conversation with these settings: they are cached next to the log. */
export function metaWith(
  { workspace, agent, client_tools: clientTools, parent }: ConversationSettings,
  { status, title }: { readonly status: string; readonly title?: string | undefined },
): { readonly [name: string]: Json } {
  return {
    ...(title !== undefined && { title }),
    status,
    workspace,
    agent: agent as Json,
    ...(clientTools && { client_tools: clientTools as Json }),
    ...(parent !== undefined && { parent }),
  };
}

/** Settings that opening a conversation starts from. */
export type StoredSettings = Partial<Pick<ConversationMeta, keyof ConversationSettings | 'policies_head'>>;

/**
 * Returns the settings that a conversation was last used with. They come from its log; a `meta` counts only next to a
 * log that contains no settings and was not imported, as older versions and the reference wrote it.
 */
export function storedSettings({ settings, importHead, head }: LoggedSettings, meta: Json): StoredSettings {
  if (!settings && importHead === undefined) return readMeta(meta);
  return { ...(settings as StoredSettings | undefined), policies_head: head };
}

/** A setting next to a log that differs from the log. */
export interface MetaDifference {
  /** Name of the setting, such as `workspace` or `agent.confirmation_policy`. */
  readonly setting: string;
  /** Value next to the log, which does not apply. */
  readonly meta: unknown;
  /** Value in the log; undefined if the log does not contain the setting. */
  readonly log: unknown;
}

/** Marks in a `meta` of a copy that is not complete. They disappear with the first event of its own. */
const copyMarks = lazy(() => z.looseObject({ importing: z.json().optional(), fork: z.json().optional() }).catch({}));

/** Tests whether a conversation with this `meta` was imported and the import did not end: its log is incomplete. */
export function isUnfinishedImport(meta: Json): boolean {
  return typeof meta === 'object' && meta !== null && 'importing' in meta;
}

/**
 * Returns the settings and marks of a `meta` that differ from those in the log; none if the log contains no settings.
 */
export function metaDifferences({ settings, importHead }: LoggedSettings, meta: Json): readonly MetaDifference[] {
  if (!settings && importHead === undefined) return [];
  const { importing, fork } = copyMarks().parse(meta);
  const marks = withoutUndefined({ importing, fork });
  const [stored, logged] = [{ ...flattened(readMeta(meta)), ...marks }, flattened(settings ?? {})];
  return Object.entries(stored).flatMap(([setting, value]) =>
    isDeepStrictEqual(value, logged[setting]) ? [] : [{ setting, meta: value, log: logged[setting] }],
  );
}

/** Policies that the reference stores next to its agent. */
type OuterPolicies = Readonly<Partial<Record<'confirmation_policy' | 'security_analyzer', unknown>>>;

/** Returns each setting under its name, those of the agent one by one. */
function flattened(settings: (StoredSettings | Partial<ConversationSettings>) & OuterPolicies) {
  const { workspace, agent, client_tools, parent, confirmation_policy, security_analyzer } = settings;
  const ofAgent = typeof agent === 'object' && agent !== null ? Object.entries(agent) : [['', agent] as const];
  const named = ofAgent.map(([name, value]) => [name === '' ? 'agent' : `agent.${name}`, value] as const);
  const outer = { confirmation_policy, security_analyzer };
  const all = Object.entries({ workspace, ...Object.fromEntries(named), client_tools, parent, ...outer });
  return Object.fromEntries(all.filter(([, value]) => value !== undefined && value !== null));
}
