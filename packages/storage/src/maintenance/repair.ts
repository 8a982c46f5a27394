import { StorageError } from '../contract/error.ts';
import type { EventLog } from '../contract/log.ts';
import type { Cut } from '../contract/statement.ts';
import { allProofs } from '../proof/proof-pages.ts';

/** Options of `repair`. */
export interface RepairOptions {
  /** Moves this event and all after it to quarantine even if they can be read, such as from `Verdict.broken.seq`. */
  readonly from?: number;
  /** UTC milliseconds; default `Date.now`. */
  readonly now?: () => number;
}

/** Result of `repair`. The log's proof records it too. */
export interface RepairResult {
  /** The new end of the log; absent if nothing had to be cut. */
  readonly cut?: Cut;
  /** Cuts that were found when the log was opened earlier, and that count as repaired from now on. */
  readonly resolved: readonly Cut[];
}

/**
 * Repairs a log that lost events: ends it before the first event that cannot be read, and moves that event and all
 * after it to quarantine. Nothing is renumbered, invented or deleted. For a log that was found too short when it was
 * opened, records the cut as repaired, after which `verify` accepts it. An intact log is not changed.
 *
 * @throws {StorageError} `invalid` for a store without proof; as `range`, `append` and `ProofWriter.cut`.
 */
export async function repair(log: EventLog, { from, now = Date.now }: RepairOptions = {}): Promise<RepairResult> {
  const { proof } = log;
  if (!proof) throw new StorageError('invalid', `The store of conversation ${log.id} has no proofs.`);
  const end = from ?? (await readableEnd(log));
  const cut = end < (await log.head()) ? await proof.cut(end) : undefined;
  const resolved = await unresolvedCuts(log);
  const statements = resolved.map((one) => ({ ...one, cause: 'repaired', at: now() }) as const);
  if (statements.length > 0) await log.append([], { statements });
  return { ...(cut && { cut }), resolved };
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

async function unresolvedCuts(log: EventLog): Promise<readonly Cut[]> {
  const found: Cut[] = [];
  for await (const { statements } of allProofs(log.proof)) {
    const cuts = statements.filter((statement) => statement.kind === 'cut');
    const repaired = cuts.findLastIndex(({ cause }) => cause === 'repaired');
    found.push(...cuts.slice(repaired + 1));
  }
  return found;
}
