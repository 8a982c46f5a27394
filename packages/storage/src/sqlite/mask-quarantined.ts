import type { Statements } from './statements.ts';

/** Masks each quarantined text of a conversation, in a transaction of the caller; gives how many changed. */
export function maskQuarantined(statements: Statements, key: number, mask: (text: string) => string): number {
  let changed = 0;
  for (
    let row = statements.quarantined.get(key, 0);
    row;
    row = statements.quarantined.get(key, Number(row['number']))
  ) {
    const text = String(row['json']);
    const after = mask(text);
    if (after === text) continue;
    statements.setQuarantined.run(after, Number(row['number']));
    changed += 1;
  }
  return changed;
}
