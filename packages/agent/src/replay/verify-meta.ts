import { isDeepStrictEqual } from 'node:util';
import { eventCodec, type Json } from '@varve/events';
import { builtinKinds } from '@varve/events/kinds';
import type { LogReader, Stored } from '@varve/storage';
import { parseJson } from '@varve/text';
import type { ConversationOptions } from '../conversation/conversation-options.ts';
import { conversationTimeline, type ConversationTimeline } from '../log/conversation-state.ts';
import { snapshotName } from '../log/stored-snapshots.ts';
import { policiesProjection, type Policies } from '../log/projections/policies-projection.ts';
import { settingsProjection, type LoggedSettings } from '../log/projections/settings-projection.ts';
import {
  isUnfinishedImport,
  metaDifferences,
  storedSettings,
  type MetaDifference,
  type StoredSettings,
} from '../log/settings.ts';
import { requestVerifier, type RequestCheck } from './verify-requests.ts';

/**
 * Returns the settings that a conversation was last used with, as opening it does: those in its log, and those in its
 * `meta` only next to a log without settings that was not imported. A policy that an event set later replaces theirs.
 * Reads a snapshot and the events after it, as opening does, or the whole log. Needs no lease. An import that has not
 * ended has none: its log contains those of another person, and no boundary yet.
 */
export async function readSettings(log: LogReader, meta: Json): Promise<StoredSettings> {
  if (isUnfinishedImport(meta)) return {};
  return currentSettings((await latestSettings(log)) ?? (await foldSettings(log)), meta);
}

/** Returns the settings of a conversation whose log was folded, as {@link readSettings} does. */
export function currentSettings({ settings, policies }: FoldedSettings, meta: Json): StoredSettings {
  const stored = storedSettings(settings, meta);
  const { confirmation_policy: policy } = policies;
  if (!policy || policy.seq < (stored.policies_head ?? 0)) return stored;
  return { ...stored, agent: { ...Object(stored.agent), confirmation_policy: policy.value } };
}

/** Settings and policies of a log, folded by {@link settingsProjection} and {@link policiesProjection}. */
export interface FoldedSettings {
  readonly settings: LoggedSettings;
  readonly policies: Policies;
}

/** Returns the settings by the newest snapshot and the events after it; undefined if no snapshot can be restored. */
async function latestSettings(log: LogReader): Promise<FoldedSettings | undefined> {
  const name = snapshotName({});
  const saved = await Array.fromAsync(log.proof?.snapshots?.() ?? []);
  const named = saved.filter((snapshot) => snapshot.name === name);
  const [newest] = named.toSorted((a, b) => b.seq - a.seq);
  const timeline = conversationTimeline(eventCodec(builtinKinds));
  const state = newest && (parseJson(newest.text) as Json | undefined);
  if (state === undefined || !timeline.restore(state)) return undefined;
  await timeline.load((from) => log.range(from));
  return { settings: timeline.read('settings'), policies: timeline.read('policies') };
}

async function foldSettings(log: LogReader): Promise<FoldedSettings> {
  const codec = eventCodec(builtinKinds);
  let settings: LoggedSettings = settingsProjection.initial();
  let policies: Policies = policiesProjection.initial();
  for await (const { seq, kind, text } of log.range(0)) {
    if (kind !== 'ConversationStateUpdateEvent') continue;
    const event = codec.read(text);
    settings = settingsProjection.apply(settings, event, seq);
    policies = policiesProjection.apply(policies, event, seq);
  }
  return { settings, policies };
}

/** Result of comparing a stored snapshot of a conversation with its log. */
export interface SnapshotCheck {
  readonly name: string;
  /** Number of events that the snapshot was stored for. */
  readonly seq: number;
  /**
   * `differs`: opening the conversation would start from a state that the log does not have. `unused`: opening it with
   * these kinds ignores the snapshot, because it is damaged, or of another version of varve or other kinds.
   */
  readonly state: 'same' | 'differs' | 'unused';
}

/** Checks of a log that read it once, and need no lease. */
export interface LogVerifier {
  /** Adds the next event, and returns the check of the request that it records. */
  add(stored: Stored): Promise<RequestCheck | undefined>;
  /**
   * Compares every snapshot from which the conversation can be opened with the state after the same events, and the
   * settings in a `meta` with those in the log. Settings that differ have no effect: opening the conversation uses the
   * log. A `meta` that contains fewer settings does not differ, nor does one next to a log without settings, such as
   * the reference writes. Without snapshots for a store that yields none.
   */
  end(meta: Json): { readonly snapshots: readonly SnapshotCheck[]; readonly settings: readonly MetaDifference[] };
}

/** Returns the verifier of a log, to which its events are added in order, from the first one on. */
export async function logVerifier(
  log: LogReader,
  options: Pick<ConversationOptions, 'kinds'> = {},
): Promise<LogVerifier> {
  const codec = eventCodec([...builtinKinds, ...(options.kinds ?? [])]);
  const known = snapshotName(options);
  // Read before the log, which therefore has all events of each, even if another process appends.
  const saved = await Array.fromAsync(log.proof?.snapshots?.() ?? [], ({ name, seq, text }) => {
    const state = name === known ? (parseJson(text) as Json | undefined) : undefined;
    const restored = conversationTimeline(codec);
    const isUsed = state !== undefined && restored.restore(state);
    return { name, seq, state, head: isUsed ? restored.head : undefined };
  });
  const waiting = saved.toSorted((a, b) => (a.head ?? 0) - (b.head ?? 0));
  const timeline = conversationTimeline(codec);
  const checkRequest = requestVerifier(log, codec, timeline);
  const snapshots: SnapshotCheck[] = [];
  const compareUpTo = (end: number): void => {
    while ((waiting[0]?.head ?? 0) <= end) {
      const next = waiting.shift();
      if (!next) return;
      const { name, seq, state, head } = next;
      const isSame = head !== undefined && isSnapshotOf(timeline, state);
      snapshots.push({ name, seq, state: head === undefined ? 'unused' : isSame ? 'same' : 'differs' });
    }
  };
  return {
    async add(stored) {
      compareUpTo(timeline.head);
      return checkRequest(stored);
    },
    end(meta) {
      compareUpTo(Infinity);
      return { snapshots, settings: metaDifferences(timeline.read('settings'), meta) };
    },
  };
}

/** The order of fields, and the checksum, which depends on it, are not compared. */
function isSnapshotOf(timeline: ConversationTimeline, saved: Json | undefined): boolean {
  const folded = JSON.parse(JSON.stringify(timeline.snapshot())) as object;
  return isDeepStrictEqual({ ...folded, checksum: '' }, { ...Object(saved), checksum: '' });
}
