import { StorageError } from '../contract/error.ts';
import type { LogProof, ProofWriter } from '../contract/log-proof.ts';
import type { Cut } from '../contract/statement.ts';
import { checkBound, checkReplacements } from '../kit/checks.ts';
import { mergeProof } from '../proof/proof-pages.ts';
import type { MemoryConversation } from './memory-conversation.ts';

/** Reads what is kept beside a log in memory. */
export function memoryProof(kept: MemoryConversation, check: () => void): LogProof {
  return {
    async page(from, to) {
      check();
      const seals = kept.seals.slice(from, to).map((seal, index) => ({ seq: from + index, seal }));
      return mergeProof(
        seals,
        kept.statements.filter(({ seq }) => seq >= from && seq < to),
      );
    },
    async end() {
      check();
      const seal = kept.seals.at(-1);
      return seal === undefined ? undefined : { head: kept.seals.length, seal };
    },
  };
}

/** Changes a log in memory. Its quarantine is lost with the store, so it is not kept. */
export function memoryProofWriter(kept: MemoryConversation, check: () => void, now: () => number): ProofWriter {
  return {
    ...memoryProof(kept, check),
    async cut(seq) {
      check();
      checkBound('cut', seq);
      const end = kept.events.length;
      if (seq > end) throw new StorageError('invalid', `Conversation ${kept.id} ends before event ${seq}.`);
      for (const { id } of kept.events.splice(seq)) kept.seqs.delete(id);
      kept.seals.splice(seq);
      const statements = kept.statements.filter((statement) => statement.kind === 'cut' || statement.seq < seq);
      const cut: Cut = { kind: 'cut', seq, end, cause: 'repaired', at: now() };
      kept.statements.splice(0, Infinity, ...statements, cut);
      for (const states of kept.snapshots.values()) for (const at of states.keys()) if (at > seq) states.delete(at);
      kept.updatedAt = now();
      return cut;
    },
    async replace(replacements) {
      check();
      checkReplacements(kept.id, replacements, (seq) => kept.events[seq]);
      for (const { tombstone, text } of replacements) {
        const event = kept.events[tombstone.seq];
        if (event) kept.events[tombstone.seq] = Object.freeze({ ...event, text });
        kept.statements.push(tombstone);
      }
      kept.snapshots.clear();
    },
  };
}
