import { StorageError } from '@varve/storage';
import type { SchemaTarget } from './schema.ts';
import type { Session } from './session.ts';
import { quoted } from './sql.ts';

/** Rights on tables, in addition to reading all: to append and to lease, not to change what is stored. */
const rights: readonly (readonly [right: string, tables: readonly string[]])[] = [
  [
    'INSERT',
    ['conversation', 'meta', 'event', 'blob', 'event_blob', 'statement', 'fact', 'snapshot', 'record', 'process'],
  ],
  ['UPDATE', ['conversation', 'meta', 'snapshot', 'record', 'process']],
  ['DELETE', ['conversation', 'snapshot', 'record', 'process']],
  // An append locks the row of a text that is stored already.
  ['UPDATE (sha256)', ['blob']],
];

/**
 * Grants a role what serving needs.
 *
 * @throws {StorageError} `invalid` for a role that does not exist, and if the user of the session does not own the
 * tables: PostgreSQL ignores such grants.
 */
export async function grantRights(session: Session, { schema, label }: SchemaTarget, role: string): Promise<void> {
  const [s, to] = [quoted(schema), quoted(role)];
  const [row] = await session.query(
    `SELECT pg_has_role(relowner, 'USAGE') AS owns FROM pg_catalog.pg_class WHERE oid = to_regclass($1)`,
    [`${s}.conversation`],
  );
  if (row?.['owns'] !== true) {
    throw new StorageError('invalid', `The user of ${label} cannot grant rights, because another one owns the tables.`);
  }
  await session.query(`GRANT USAGE ON SCHEMA ${s} TO ${to}`);
  await session.query(`GRANT SELECT ON ALL TABLES IN SCHEMA ${s} TO ${to}`);
  for (const [right, tables] of rights) {
    await session.query(`GRANT ${right} ON ${tables.map((table) => `${s}.${table}`).join(', ')} TO ${to}`);
  }
}
