import {
  sumOfUsage,
  type Usage,
  blockedProjection,
  skillsProjection,
  statsProjection,
  statusProjection,
  Timeline,
  type Blocked,
  type Projection,
  type Skills,
  type Stats,
  type Status,
} from '@varve/events/projections';
import type { EventStore, LogReader, Summary } from '@varve/storage';
import type { Feed } from './feed.ts';
import {
  evidenceProjection,
  isUnfinishedImport,
  policiesProjection,
  settingsProjection,
  type FoldedSettings,
  type WorkRecord,
} from '@varve/agent/replay';
import { eventCodec } from '@varve/events';
import {
  ActionEvent,
  AgentErrorEvent,
  ConversationErrorEvent,
  ConversationStateUpdateEvent,
  HookExecutionEvent,
  InterruptEvent,
  MessageEvent,
  ObservationEvent,
  PauseEvent,
  UserRejectObservation,
} from '@varve/events/kinds';
import { isForClients } from './event-filter.ts';
import { Lru } from './lru.ts';
import { loggedConfigurationProjection, type LoggedConfiguration } from './logged-configuration.ts';

/** Folded state of a log that the info of a conversation contains. Immutable. */
export interface ConversationFold extends FoldedSettings {
  /** Number of events folded. */
  readonly head: number;
  readonly leafId: string | undefined;
  readonly status: Status;
  readonly stats: Stats;
  readonly reported: LoggedConfiguration;
  /** Skills of messages, of results and of state updates. */
  readonly skills: Skills;
  readonly blocked: Blocked;
  /** Number of events that clients may receive. */
  readonly count: number;
  readonly evidence: WorkRecord;
}

/** Folds the logs of a store and caches the folds. */
export interface ConversationFolds {
  /** Returns a fold at least as new as the summary. @throws {StorageError} `missing` if it was removed, `io`. */
  of(summary: Summary): Promise<ConversationFold>;
}

/** Methods of a store that folds need. */
interface Logs {
  read(id: string): Promise<Pick<LogReader, 'range' | 'snapshots'>>;
}

/** Number of cached folds: more than a page of a listing, so that paging folds nothing twice. Folds hold no events. */
const capacity = 256;

/** Events from which a fold is saved in the store, if that can save it, so that the next process reads less. */
const eventsPerSnapshot = 1000;
const snapshotName = 'server';

/** Kinds that these projections read; other events are not validated. */
const codec = eventCodec([
  ActionEvent,
  AgentErrorEvent,
  ConversationErrorEvent,
  ConversationStateUpdateEvent,
  HookExecutionEvent,
  InterruptEvent,
  MessageEvent,
  ObservationEvent,
  PauseEvent,
  UserRejectObservation,
]);

const countProjection: Projection<number> = {
  name: 'count',
  version: 1,
  scope: 'log',
  initial: () => 0,
  apply: (count, event) => count + Number(isForClients(event)),
  read: (count) => count,
  encode: (count) => count,
  decode: Number,
};

const projections = {
  status: statusProjection,
  stats: statsProjection,
  reported: loggedConfigurationProjection,
  skills: skillsProjection,
  blocked: blockedProjection,
  evidence: evidenceProjection,
  settings: settingsProjection,
  policies: policiesProjection,
  count: countProjection,
};

interface Folding {
  /** Distinguishes a conversation from a later one with the same id. */
  readonly createdAt: number;
  readonly timeline: Timeline<typeof projections>;
  /** Resolves when the current fold of this timeline has ended; folds are sequential. */
  idle: Promise<unknown>;
}

/** Returns cached folds of a store, read without leases. An unchanged log is not read, any other from its last head. */
export function conversationFolds(logs: Logs): ConversationFolds {
  const foldings = new Lru<string, Folding>(capacity);
  return {
    of(summary) {
      const folding = foldingOf(foldings, summary);
      const folded = folding.idle.then(() => fold(logs, summary, folding.timeline));
      folding.idle = folded.catch(() => undefined);
      return isUnfinishedImport(summary.meta) ? folded.then(asImported) : folded;
    },
  };
}

/** Until an import ends, its log has no boundary yet, and the settings in it are those of another person. */
function asImported(folded: ConversationFold): ConversationFold {
  const { head, reported } = folded;
  return {
    ...folded,
    settings: { head, importHead: head },
    reported: { ...reported, configuration: undefined, fields: {}, children: [] },
  };
}

function foldingOf(foldings: Lru<string, Folding>, { id, createdAt }: Summary): Folding {
  const known = foldings.get(id);
  if (known?.createdAt === createdAt) return known;
  const fresh = { createdAt, timeline: new Timeline({ codec, projections }), idle: Promise.resolve() };
  foldings.set(id, fresh);
  return fresh;
}

async function fold(logs: Logs, { id, head }: Summary, timeline: Folding['timeline']): Promise<ConversationFold> {
  if (timeline.head < head) {
    const log = await logs.read(id);
    const saved = timeline.head === 0 ? await log.snapshots?.latest(snapshotName) : undefined;
    if (saved) timeline.restore(saved.state);
    const start = timeline.head;
    // Only a fold of this reader is saved: an older one may contain text that was replaced since.
    const isOfReader = start === 0 || saved !== undefined;
    await timeline.load((from) => log.range(from));
    if (isOfReader && timeline.head - start >= eventsPerSnapshot) {
      await log.snapshots?.save(snapshotName, { seq: timeline.head, state: timeline.snapshot() });
    }
  }
  return {
    head: timeline.head,
    leafId: timeline.leafId,
    status: timeline.read('status'),
    stats: timeline.read('stats'),
    reported: timeline.read('reported'),
    skills: timeline.read('skills'),
    blocked: timeline.read('blocked'),
    evidence: timeline.read('evidence'),
    settings: timeline.read('settings'),
    policies: timeline.read('policies'),
    count: timeline.read('count'),
  };
}

/** Sources of what a conversation stores and reports. */
export interface ConversationSources {
  readonly store: EventStore;
  readonly folds: ConversationFolds;
  readonly feed: Feed;
  /** UTC milliseconds. */
  readonly now: () => number;
}

/** Returns the usage that a conversation shows, by usage id: its own, and that of the origin if a fork keeps it. */
export function shownUsage({
  stats,
  reported,
}: Pick<ConversationFold, 'stats' | 'reported'>): Readonly<Record<string, Usage>> {
  const total: Record<string, Usage> = { ...stats.byUsageId };
  for (const [id, usage] of Object.entries(reported.configuration?.inherited_usage ?? {})) {
    const usageHere = total[id];
    total[id] = usageHere ? sumOfUsage(usageHere, usage) : usage;
  }
  return total;
}
