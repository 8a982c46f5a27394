import { StorageError } from '../contract/error.ts';
import type { LogLoss } from '../contract/loss.ts';
import type { EventLog } from '../contract/log.ts';
import type { Cut, Statement, Unsealed } from '../contract/statement.ts';
import { allProofs } from '../proof/proof-pages.ts';

/** Options of `repair`. */
export interface RepairOptions {
  /** Moves this event and all after it to quarantine even if they can be read, such as from `Verdict.broken.seq`. */
  readonly from?: number;
  /**
   * Accepts events without seals as they are now: those that lost their seals are sealed again, and those that were
   * sealed late count as accepted.
   */
  readonly acceptUnsealed?: true;
  /** UTC milliseconds; default `Date.now`. */
  readonly now?: () => number;
}

/** Result of `repair`. The log's proof records it too. */
export interface RepairResult {
  /** The loss that was repaired; absent if no events were lost. */
  readonly loss?: LogLoss;
  /** The new end of the log; absent if nothing had to be cut. */
  readonly cut?: Cut;
  /** Cuts that were found when the log was opened earlier, and that count as repaired from now on. */
  readonly resolved: readonly Cut[];
  /** Ranges of events without seals that were accepted. */
  readonly accepted: readonly Unsealed[];
  /** Number of statements of the proof that could not be read, and are in quarantine now; absent if there were none. */
  readonly malformed?: number;
}

/**
 * Repairs a log that lost events, opened with the purpose `repair`: ends it before the first event that cannot be read,
 * and moves that event and all after it to quarantine. Nothing is renumbered, invented or deleted. For a log that was
 * found too short when it was opened by an older version, records the cut as repaired, after which `verify` accepts it.
 * Statements of the proof that cannot be read go to quarantine too. An intact log is not changed. What the events mean
 * is not known here: a conversation is repaired by `repairConversation` of `@varve/agent/replay`.
 *
 * @throws {StorageError} `invalid` for a store without proof; as `range`, `append` and the methods of `ProofWriter`.
 */
export async function repair(log: EventLog, options: RepairOptions = {}): Promise<RepairResult> {
  const { proof } = log;
  if (!proof) throw new StorageError('invalid', `The store of conversation ${log.id} has no proofs.`);
  const malformed = (await proof.quarantineMalformed?.()) ?? 0;
  const readable = await readableEnd(log);
  const end = Math.min(options.from ?? readable, readable);
  // After reading, which finds events that cannot be read.
  const loss = await log.loss?.();
  const isCut =
    end < (await log.head()) || (loss !== undefined && loss.reason !== 'unreadable') || isLastBroken(loss, end);
  const cut = isCut ? await proof.cut(end) : undefined;
  const sealed = options.acceptUnsealed && (await proof.acceptUnsealed?.());
  const { resolved, accepted, statements } = await resolve(log, options);
  if (statements.length > 0) await log.append([], { statements });
  const late = sealed ? [sealed, ...accepted] : accepted;
  return { ...(loss && { loss }), ...(cut && { cut }), resolved, accepted: late, ...(malformed > 0 && { malformed }) };
}

/** Returns true for unreadable events after the end of the log. */
function isLastBroken(loss: LogLoss | undefined, end: number): boolean {
  return loss?.reason === 'unreadable' && loss.seq >= end;
}

/** Returns the number of events before the first that cannot be read. */
async function readableEnd(log: EventLog): Promise<number> {
  let end = 0;
  try {
    for await (const { seq } of log.range(0)) end = seq + 1;
  } catch (error) {
    if (!(error instanceof StorageError) || error.code !== 'corrupt') throw error;
  }
  return end;
}

/** Finds the records of cuts and of late seals that are open, and the statements that resolve them. */
async function resolve(log: EventLog, { acceptUnsealed, now = Date.now }: RepairOptions) {
  const resolved: Cut[] = [];
  const accepted: Unsealed[] = [];
  for await (const { statements } of allProofs(log.proof)) {
    const cuts = statements.filter((statement) => statement.kind === 'cut');
    const repaired = cuts.findLastIndex(({ cause }) => cause === 'repaired');
    for (const cut of cuts.slice(repaired + 1)) resolved.push(cut);
    const late = statements.findLast((statement) => statement.kind === 'unsealed');
    if (acceptUnsealed && late && late.cause !== 'accepted') accepted.push({ ...late, cause: 'accepted', at: now() });
  }
  const repaired = resolved.map((cut): Statement => ({ ...cut, cause: 'repaired', at: now() }));
  return { resolved, accepted, statements: [...repaired, ...accepted] };
}
