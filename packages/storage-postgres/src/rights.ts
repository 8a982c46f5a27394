import type { SchemaTarget } from './schema.ts';
import type { Session } from './session.ts';
import { quoted } from './sql.ts';

/** Rights on tables, in addition to reading all: to append and to lease, not to change what is stored. */
const rights: readonly (readonly [right: string, tables: readonly string[]])[] = [
  ['INSERT', ['conversation', 'meta', 'event', 'blob', 'event_blob', 'statement', 'fact', 'snapshot', 'record']],
  ['UPDATE', ['conversation', 'meta', 'snapshot', 'record']],
  ['DELETE', ['conversation', 'snapshot', 'record']],
  // An append locks the row of a text that is stored already.
  ['UPDATE (sha256)', ['blob']],
];

/** Grants a role what serving needs; the session is of the owner of the tables. */
export async function grantRights(session: Session, { schema }: SchemaTarget, role: string): Promise<void> {
  const [s, to] = [quoted(schema), quoted(role)];
  await session.query(`GRANT USAGE ON SCHEMA ${s} TO ${to}`);
  await session.query(`GRANT SELECT ON ALL TABLES IN SCHEMA ${s} TO ${to}`);
  for (const [right, tables] of rights) {
    await session.query(`GRANT ${right} ON ${tables.map((table) => `${s}.${table}`).join(', ')} TO ${to}`);
  }
}
