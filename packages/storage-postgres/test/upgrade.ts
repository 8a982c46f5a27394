import { connect } from '../src/connection.ts';
import { migrate, migrations } from '../src/schema.ts';
import { parseUrl } from '../src/url.ts';

const tables = ['conversation', 'meta', 'event', 'blob', 'event_blob', 'statement', 'quarantine', 'snapshot', 'fact'];

/** Adds a column to each table. */
const addColumns = (s: string, n: number): string =>
  [...tables, 'record'].map((table) => `ALTER TABLE ${s}.${table} ADD COLUMN next_${n} integer`).join(';');

/** Migrates a schema to a version above the newest one. */
export async function upgrade(url: string, count: number, stepOf = addColumns): Promise<void> {
  const target = parseUrl(url);
  const connection = await connect({ target, pollMs: 250, creates: false });
  const steps = Array.from({ length: count }, (_, n) => (s: string) => stepOf(s, n));
  try {
    await migrate(connection.transaction, { ...target, creates: false }, [...migrations, ...steps]);
  } finally {
    await connection.close(async () => {});
  }
}
