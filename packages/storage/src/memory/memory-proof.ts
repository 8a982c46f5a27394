import { StorageError } from '../contract/error.ts';
import type { LogProof, ProofWriter } from '../contract/log-proof.ts';
import type { Cut } from '../contract/statement.ts';
import { checkBound, checkReplacements } from '../kit/checks.ts';
import { mergeProof } from '../proof/proof-pages.ts';
import type { MemoryConversation } from './memory-conversation.ts';

/** Creates the reader of a conversation's proof. */
export function memoryProof({ seals, statements }: MemoryConversation, check: () => void): LogProof {
  return {
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
  };
}

/** Creates the proof writer of a conversation. It has no quarantine, which would be lost with the store anyway. */
export function memoryProofWriter(conversation: MemoryConversation, check: () => void, now: () => number): ProofWriter {
  const { id, events, seqs, seals, snapshots } = conversation;
  return {
    ...memoryProof(conversation, check),
    async cut(seq) {
      check();
      checkBound('cut', seq);
      const end = events.length;
      if (seq > end) throw new StorageError('invalid', `Conversation ${id} ends before event ${seq}.`);
      for (const event of events.splice(seq)) seqs.delete(event.id);
      seals.splice(seq);
      const statements = conversation.statements.filter((one) => one.kind === 'cut' || one.seq < seq);
      const cut: Cut = { kind: 'cut', seq, end, cause: 'repaired', at: now() };
      conversation.statements.splice(0, Infinity, ...statements, cut);
      for (const states of snapshots.values()) for (const at of states.keys()) if (at > seq) states.delete(at);
      conversation.updatedAt = now();
      return cut;
    },
    async replace(replacements) {
      check();
      checkReplacements(id, replacements, (seq) => events[seq]);
      for (const { tombstone, text } of replacements) {
        const event = events[tombstone.seq];
        if (event) events[tombstone.seq] = Object.freeze({ ...event, text });
        conversation.statements.push(tombstone);
      }
      snapshots.clear();
    },
  };
}
