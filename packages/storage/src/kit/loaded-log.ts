import type { LogProof } from '../contract/log-proof.ts';
import type { Stored } from '../contract/log-reader.ts';
import type { Statement } from '../contract/statement.ts';
import { mergeProof } from '../proof/proof-pages.ts';
import { type AppendPlan, type CheckedAppend, planAppend, sealAppend, type SealedAppend } from './append.ts';
import type { LogSource } from './reader.ts';
import type { Wakeups } from './wakeups.ts';

/** A log whose events are in memory: of a store that keeps nothing else, or that loads whole logs from its files. */
export interface LoadedLog {
  readonly id: string;
  readonly events: Stored[];
  /** Seq by event id. */
  readonly seqs: Map<string, number>;
  /** One per event. */
  readonly seals: string[];
  readonly statements: Statement[];
}

/** Creates an empty log. */
export function loadedLog(id: string): LoadedLog {
  return { id, events: [], seqs: new Map(), seals: [], statements: [] };
}

/** Plans and seals an append without storing it. @throws {StorageError} `duplicate`, `conflict`. */
export function prepareAppend(log: LoadedLog, append: CheckedAppend, at: number): AppendPlan & SealedAppend {
  const { id, events, seqs, seals } = log;
  const head = events.length;
  const find = (eventId: string): Stored | undefined => events[seqs.get(eventId) ?? -1];
  const plan = planAppend(append.events, { id, head, expectedHead: append.expectedHead, find });
  return { ...plan, ...sealAppend(plan, append, { id, head, seal: seals.at(-1), at }) };
}

/** Adds events and statements to a log. */
export function addToLog(log: LoadedLog, added: Partial<Pick<SealedAppend, 'events' | 'statements'>>): void {
  for (const { seq, id, kind, parentId, text, seal } of added.events ?? []) {
    log.events.push(Object.freeze({ seq, id, kind, parentId, text }));
    log.seqs.set(id, seq);
    log.seals.push(seal);
  }
  for (const statement of added.statements ?? []) log.statements.push(statement);
}

/** Access to a log that its store provides. */
export interface LoadedLogAccess {
  /** Called before each read. Throws `closed` or `missing`, and may load new events. */
  readonly check: () => void;
  readonly wake: Wakeups;
  readonly closed: AbortSignal;
}

const pageLength = 256;

/** Creates the source of a reader, with its proof. */
export function loadedSource(log: LoadedLog, access: LoadedLogAccess): LogSource & { readonly proof: LogProof } {
  const { id, events, seqs, seals, statements } = log;
  const { check, wake, closed } = access;
  return {
    id,
    async head() {
      check();
      return events.length;
    },
    async page(from, to) {
      check();
      return events.slice(from, Math.min(to, from + pageLength));
    },
    async seqOf(eventId) {
      check();
      return seqs.get(eventId);
    },
    arm: () => wake.arm(id),
    closed,
    proof: {
      async page(from, to) {
        check();
        return mergeProof(
          seals.slice(from, to).map((seal, index) => ({ seq: from + index, seal })),
          statements.filter(({ seq }) => seq >= from && seq < to),
        );
      },
      async end() {
        check();
        const seal = seals.at(-1);
        return seal === undefined ? undefined : { head: seals.length, seal };
      },
    },
  };
}
