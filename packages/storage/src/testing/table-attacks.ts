/** A change of the tables of a store that an attacker makes to conversation `c`, which has six signed events. */
export interface TableAttack {
  readonly title: string;
  /** SQL that SQLite and PostgreSQL execute. */
  readonly sql: string;
  /** Seq and reason of the first failure that `verify` reports. */
  readonly expected: readonly [seq: number, reason: string];
}

const shift = (by: string) => `UPDATE event SET seq = -seq WHERE seq > 2; UPDATE event SET seq = ${by} WHERE seq < 0;`;

/** Changes of the tables that `verify` detects. */
export const tableAttacks: readonly TableAttack[] = [
  { title: 'an edited text', sql: "UPDATE event SET text = text || ' ' WHERE seq = 3", expected: [3, 'altered'] },
  { title: 'an edited kind', sql: "UPDATE event SET kind = 'Other' WHERE seq = 3", expected: [3, 'altered'] },
  { title: 'a deleted event', sql: 'DELETE FROM event WHERE seq = 3', expected: [3, 'lost'] },
  {
    title: 'a deleted event with a closed gap',
    sql: `DELETE FROM event WHERE seq = 3; ${shift('-seq - 1')} UPDATE conversation SET head = 5`,
    expected: [3, 'altered'],
  },
  {
    title: 'an inserted event',
    sql: `${shift('-seq + 1')}
      INSERT INTO event (conversation, seq, id, kind, parent_id, text, seal, blobs)
      SELECT conversation, 3, 'new', kind, parent_id, text, seal, blobs FROM event WHERE seq = 2;
      UPDATE conversation SET head = 7`,
    expected: [3, 'altered'],
  },
  {
    title: 'two swapped events',
    sql: `UPDATE event SET seq = 99 WHERE seq = 3; UPDATE event SET seq = 3 WHERE seq = 4;
      UPDATE event SET seq = 4 WHERE seq = 99`,
    expected: [3, 'altered'],
  },
  { title: 'a truncated log', sql: 'DELETE FROM event WHERE seq > 2', expected: [3, 'lost'] },
  {
    title: 'a truncated log with a lower head',
    sql: 'DELETE FROM event WHERE seq > 2; UPDATE conversation SET head = 3',
    expected: [3, 'lost'],
  },
  {
    title: 'a truncated log without checkpoints and with a lower head',
    sql: 'DELETE FROM event WHERE seq > 2; DELETE FROM statement; UPDATE conversation SET head = 3',
    expected: [3, 'lost'],
  },
  { title: 'a removed seal', sql: 'UPDATE event SET seal = NULL WHERE seq = 3', expected: [3, 'unsealed'] },
  { title: 'a malformed statement', sql: "UPDATE statement SET json = '{' WHERE seq = 3", expected: [0, 'lost'] },
];

const edit = "UPDATE event SET text = text || ' ' WHERE seq = 4;";

/** Losses of seals after which a log is not continued until a person accepts them. */
export const sealLosses: readonly Pick<TableAttack, 'title' | 'sql'>[] = [
  { title: 'the seal of the conversation', sql: `${edit} UPDATE conversation SET seal = NULL;` },
  { title: 'all seals', sql: `${edit} UPDATE conversation SET seal = NULL; UPDATE event SET seal = NULL;` },
  { title: 'the last seal', sql: `${edit} UPDATE event SET seal = NULL WHERE seq = 5;` },
  {
    title: 'the last seals',
    sql: `${edit} UPDATE conversation SET seal = NULL; UPDATE event SET seal = NULL WHERE seq > 3;`,
  },
  {
    title: 'the right seal of the conversation',
    sql: `${edit} UPDATE conversation SET seal = (SELECT seal FROM event WHERE seq = 0);`,
  },
  {
    title: 'the seal of an added event',
    sql: `INSERT INTO event (conversation, seq, id, kind, parent_id, text)
      SELECT conversation, 6, 'copy', kind, parent_id, text FROM event WHERE seq = 0;
      ${edit} UPDATE conversation SET head = 7;`,
  },
];
