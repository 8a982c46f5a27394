import type { EventProof, LogProof } from '../contract/log-proof.ts';

/** All that is kept about the events from `from` on, also beyond the head, in order of seq. */
export async function* proofPages(proof: LogProof | undefined, from = 0): AsyncGenerator<EventProof> {
  for (let next = from; ;) {
    const page = (await proof?.page(next, Number.MAX_SAFE_INTEGER)) ?? [];
    if (page.length === 0) return;
    yield* page;
    next = (page.at(-1)?.seq ?? next) + 1;
  }
}
