import type { EventProof } from '../contract/log-proof.ts';
import type { LogReader, Stored } from '../contract/log-reader.ts';
import { firstSeal } from '../proof/first-seal.ts';
import { nextSeal } from '../proof/next-seal.ts';
import { proofPages } from './proof-pages.ts';
import { sealedDigest } from './sealed-digest.ts';

/** What is kept beside a log that is read from its start. */
export interface CurrentProofs {
  /** What is kept about the next event; to be asked of each, in order. */
  of(event: Stored): Promise<EventProof | undefined>;
  /** What is kept about none of those that were asked for. */
  rest(): AsyncGenerator<EventProof>;
}

/**
 * Reads it in pages, and anew from an event on that was scrubbed after its page was read. That an event is another one
 * than its seal was made of is not judged, and looked into again only while that helps.
 */
export function currentProofs({ id, proof }: LogReader): CurrentProofs {
  let proofs = proofPages(proof);
  let following: Promise<EventProof | undefined> | undefined;
  let previous: string | undefined = firstSeal(id);
  let helps = true;
  const kept = async (seq: number): Promise<EventProof | undefined> => {
    const found = await (following ??= nextOf(proofs));
    return found?.seq === seq ? found : undefined;
  };
  const isScrubbed = (event: Stored, found: EventProof | undefined): boolean =>
    previous !== undefined &&
    found?.seal !== undefined &&
    nextSeal(previous, sealedDigest(event, found)) !== found.seal;
  return {
    async of(event) {
      let found = await kept(event.seq);
      if (helps && isScrubbed(event, found)) {
        // Tombstones are kept before texts are replaced: what is read after the text knows of it.
        proofs = proofPages(proof, event.seq);
        following = undefined;
        found = await kept(event.seq);
        helps = !isScrubbed(event, found);
      }
      if (found) following = undefined;
      previous = found?.seal;
      return found;
    },
    async *rest() {
      const found = await (following ??= nextOf(proofs));
      if (!found) return;
      yield found;
      yield* proofs;
    },
  };
}

async function nextOf(proofs: AsyncGenerator<EventProof>): Promise<EventProof | undefined> {
  const { value, done } = await proofs.next();
  return done ? undefined : value;
}
