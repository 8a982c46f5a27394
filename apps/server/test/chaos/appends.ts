import { connectedClient, runSql } from '../../../../packages/storage-postgres/test/server.ts';

/** An append of one event, as the database recorded it. */
export interface RecordedAppend {
  readonly id: string;
  /** Epoch of the lease at that time. */
  readonly epoch: number;
  /** Process that appended. */
  readonly writer: string;
  /** UTC milliseconds. */
  readonly at: number;
}

/** Lets the database of a URL record who appends each event, with which epoch. */
export async function recordAppends(url: string): Promise<void> {
  await runSql(
    url,
    `CREATE TABLE append (conversation bigint, seq bigint, epoch bigint, writer text, at timestamptz);
    CREATE INDEX ON append (conversation);
    CREATE FUNCTION record_append() RETURNS trigger LANGUAGE plpgsql SECURITY DEFINER AS $$
      BEGIN
        INSERT INTO varve.append
          SELECT key, NEW.seq, lease_epoch, current_setting('application_name'), clock_timestamp()
          FROM varve.conversation WHERE key = NEW.conversation;
        RETURN NULL;
      END $$;
    CREATE TRIGGER record_append AFTER INSERT ON event FOR EACH ROW EXECUTE FUNCTION record_append();`,
  );
}

/** Returns the appends of a conversation in the order of its log. */
export async function recordedAppends(url: string, id: string): Promise<readonly RecordedAppend[]> {
  await using client = await connectedClient(url);
  const { rows }: { readonly rows: RecordedAppend[] } = await client.query(
    `SELECT event.id, epoch::integer, writer, extract(epoch FROM at)::float * 1000 AS at
    FROM append JOIN event USING (conversation, seq) JOIN conversation ON key = conversation
    WHERE conversation.id = $1 ORDER BY seq`,
    [id],
  );
  return rows;
}
