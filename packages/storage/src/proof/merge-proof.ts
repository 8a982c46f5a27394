import type { EventProof } from '../contract/log-proof.ts';
import type { Statement } from '../contract/statement.ts';
import type { SealedEvent } from './seal-events.ts';

/** Puts together what is kept about each event, in order of seq. Statements of one event keep their order. */
export function mergeProof(seals: readonly SealedEvent[], statements: readonly Statement[]): readonly EventProof[] {
  const found = new Map<number, { seq: number; seal: string | undefined; statements: Statement[] }>();
  for (const { seq, seal } of seals) found.set(seq, { seq, seal, statements: [] });
  for (const statement of statements) {
    const { seq } = statement;
    const proof = found.get(seq) ?? { seq, seal: undefined, statements: [] };
    proof.statements.push(statement);
    found.set(seq, proof);
  }
  return [...found.values()].toSorted((one, other) => one.seq - other.seq);
}
