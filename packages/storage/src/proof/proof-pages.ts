import type { EventProof, LogProof } from '../contract/log-proof.ts';
import type { Statement } from '../contract/statement.ts';
import type { SealedEvent } from './seal-events.ts';

/** Groups seals and statements by event, in order of seq. Statements of one event keep their order. */
export function mergeProof(seals: readonly SealedEvent[], statements: readonly Statement[]): readonly EventProof[] {
  const bySeq = new Map<number, { seq: number; seal: string | undefined; statements: Statement[] }>();
  for (const { seq, seal } of seals) bySeq.set(seq, { seq, seal, statements: [] });
  for (const statement of statements) {
    const { seq } = statement;
    const proof = bySeq.get(seq) ?? { seq, seal: undefined, statements: [] };
    proof.statements.push(statement);
    bySeq.set(seq, proof);
  }
  return [...bySeq.values()].toSorted((a, b) => a.seq - b.seq);
}

/** Yields the proof of every event from `from` on, also of seqs above the head, in order of seq. */
export async function* allProofs(proof: LogProof | undefined, from = 0): AsyncGenerator<EventProof> {
  for (let next = from; ;) {
    const page = (await proof?.page(next, Number.MAX_SAFE_INTEGER)) ?? [];
    if (page.length === 0) return;
    yield* page;
    next = (page.at(-1)?.seq ?? next) + 1;
  }
}

/**
 * Returns a function that looks up the proof of single events; call it with rising seqs. It reads whole pages, because
 * a store that keeps its proof in one file reads all of that file for each page.
 *
 * @throws {StorageError} as `LogProof.page`.
 */
export function proofCursor(proof: LogProof): (seq: number) => Promise<EventProof | undefined> {
  let page: readonly EventProof[] = [];
  let next = 0;
  let isEnd = false;
  return async (seq) => {
    while (page[next] !== undefined && (page[next]?.seq ?? 0) < seq) next += 1;
    if (page[next] === undefined && !isEnd) {
      page = await proof.page(seq, Number.MAX_SAFE_INTEGER);
      next = 0;
      isEnd = page.length === 0;
    }
    const eventProof = page[next];
    return eventProof?.seq === seq ? eventProof : undefined;
  };
}
