import { StorageError } from '../contract/error.ts';
import type { ProofWriter } from '../contract/log-proof.ts';
import type { Cut } from '../contract/statement.ts';
import { checkBound, checkReplacements } from '../kit/checks.ts';
import type { MemoryConversation } from './memory-conversation.ts';

/** Creates the changing half of a conversation's proof. It has no quarantine, which would be lost with the store. */
export function memoryProofWriter(
  conversation: MemoryConversation,
  check: () => void,
  now: () => number,
): Pick<ProofWriter, 'cut' | 'replace'> {
  const { id, events, seqs, seals, snapshots } = conversation;
  return {
    async cut(seq) {
      check();
      checkBound('cut', seq);
      const end = events.length;
      if (seq > end) throw new StorageError('invalid', `Conversation ${id} ends before event ${seq}.`);
      for (const event of events.splice(seq)) seqs.delete(event.id);
      seals.splice(seq);
      const statements = conversation.statements.filter((statement) => statement.kind === 'cut' || statement.seq < seq);
      const cut: Cut = { kind: 'cut', seq, end, cause: 'repaired', at: now() };
      conversation.statements.length = 0;
      for (const statement of [...statements, cut]) conversation.statements.push(statement);
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
