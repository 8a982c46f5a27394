import type { EventProof, LogProof } from '../contract/log-proof.ts';

/**
 * Gives what is kept about single events that are asked for by rising seq. Reads whole pages: a store that keeps its
 * proof in one file reads all of it for each.
 *
 * @throws {StorageError} as `LogProof.page`.
 */
export function proofCursor(proof: LogProof): (seq: number) => Promise<EventProof | undefined> {
  let page: readonly EventProof[] = [];
  let next = 0;
  let isOver = false;
  return async (seq) => {
    while (page[next] !== undefined && (page[next]?.seq ?? 0) < seq) next += 1;
    if (page[next] === undefined && !isOver) {
      page = await proof.page(seq, Number.MAX_SAFE_INTEGER);
      next = 0;
      isOver = page.length === 0;
    }
    const found = page[next];
    return found?.seq === seq ? found : undefined;
  };
}
