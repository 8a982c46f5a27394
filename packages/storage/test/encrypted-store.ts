import { createCipheriv, createDecipheriv, createHmac } from 'node:crypto';
import type { EventStore, LogReader, Stored, SnapshotCache } from '@varve/storage';
import { wrapStore } from '@varve/storage/kit';

const key = Buffer.alloc(32, 7);

/** Equal texts have equal ciphertexts, because a store recognizes an append that is sent again by its text. */
function encrypted(text: string): string {
  const iv = createHmac('sha256', key).update(text, 'utf16le').digest().subarray(0, 12);
  const cipher = createCipheriv('aes-256-gcm', key, iv);
  const bytes = Buffer.concat([cipher.update(text, 'utf16le'), cipher.final()]);
  return Buffer.concat([iv, cipher.getAuthTag(), bytes]).toString('base64');
}

function decrypted(secret: string): string {
  const bytes = Buffer.from(secret, 'base64');
  const cipher = createDecipheriv('aes-256-gcm', key, bytes.subarray(0, 12)).setAuthTag(bytes.subarray(12, 28));
  return Buffer.concat([cipher.update(bytes.subarray(28)), cipher.final()]).toString('utf16le');
}

function plain(stored: Stored): Stored {
  return { ...stored, text: decrypted((JSON.parse(stored.text) as { secret: string }).secret) };
}

async function* plainEach(events: AsyncIterable<Stored>): AsyncGenerator<Stored> {
  for await (const event of events) yield plain(event);
}

const reading = (reader: LogReader) => ({
  range: (from: number, to?: number) => plainEach(reader.range(from, to)),
  tail: (from: number, signal: AbortSignal) => plainEach(reader.tail(from, signal)),
  at: async (seq: number) => plain(await reader.at(seq)),
});

const encryptedSnapshots = (snapshots: SnapshotCache): SnapshotCache => ({
  async latest(name, upTo) {
    const saved = await snapshots.latest(name, upTo);
    return saved && { ...saved, state: JSON.parse(decrypted(saved.state as string)) };
  },
  async save(name, { seq, state }) {
    const text = JSON.stringify(state) as string | undefined;
    if (text !== undefined) await snapshots.save(name, { seq, state: encrypted(text) });
  },
});

/** Wraps a store so that texts of events and states of folds are encrypted in it; ids and kinds are not. */
export function encryptedStore(store: EventStore): EventStore {
  return wrapStore(store, {
    facts: undefined,
    reader: (reader) => ({ ...reading(reader), proof: undefined, snapshots: undefined }),
    log: (log) => ({
      ...reading(log),
      proof: undefined,
      snapshots: encryptedSnapshots(log.snapshots),
      append: async (events, options) =>
        log.append(
          events.map((event) => {
            const { id, kind, parentId: parent_id, text } = event;
            return { ...event, text: JSON.stringify({ id, kind, parent_id, secret: encrypted(text) }) };
          }),
          options,
        ),
    }),
  });
}
