import { StorageError } from '../contract/error.ts';
import type { EventLog } from '../contract/log.ts';
import type { Cut } from '../contract/statement.ts';
import { proofPages } from '../proof/proof-pages.ts';

/** How a log is repaired. */
export interface RepairOptions {
  /**
   * Puts this event and all behind it into quarantine, although they can be read: for instance the `seq` of what
   * `verify` found broken.
   */
  readonly from?: number;
  /** UTC milliseconds; default `Date.now`. */
  readonly now?: () => number;
}

/** What a repair did. It is in the proof of the log, too. */
export interface RepairResult {
  /** The end that the log has now, when it had to be cut or something lay beside it; absent when it was whole. */
  readonly cut?: Cut;
  /** Ends that were found before, when the log was opened, and that count as repaired from now on. */
  readonly resolved: readonly Cut[];
}

/**
 * Makes a log whole that lost events: what lies behind the first event that cannot be read goes into quarantine, and
 * the log ends there. Nothing is renumbered, invented or deleted. A log that is whole, but that was found too short when
 * it was opened, gets a note that somebody has seen it, after which `verify` passes there. Whole logs are left alone.
 *
 * @throws {StorageError} `invalid` for a store without proof; as `range`, `append` and `ProofWriter.cut`.
 */
export async function repair(log: EventLog, { from, now = Date.now }: RepairOptions = {}): Promise<RepairResult> {
  const { proof } = log;
  if (!proof) throw new StorageError('invalid', `The store of conversation ${log.id} keeps no proof.`);
  const end = from ?? (await readableEnd(log));
  const cut = end < (await log.head()) ? await proof.cut(end) : undefined;
  const found = await unsettled(log);
  const statements = found.map((one) => ({ ...one, cause: 'repaired', at: now() }) as const);
  if (statements.length > 0) await log.append([], { statements });
  return { ...(cut && { cut }), resolved: found };
}

/** The number of events before the first that cannot be read. */
async function readableEnd(log: EventLog): Promise<number> {
  let end = 0;
  try {
    for await (const { seq } of log.range(0)) end = seq + 1;
  } catch (error) {
    if (!(error instanceof StorageError) || error.code !== 'corrupt') throw error;
  }
  return end;
}

async function unsettled(log: EventLog): Promise<readonly Cut[]> {
  const found: Cut[] = [];
  for await (const { statements } of proofPages(log.proof)) {
    const cuts = statements.filter((statement) => statement.kind === 'cut');
    const repaired = cuts.findLastIndex(({ cause }) => cause === 'repaired');
    found.push(...cuts.slice(repaired + 1));
  }
  return found;
}
