import { parseJson, redactSecretFields } from '@varve/text';
import type { LogReader, Summary } from '@varve/storage';
import type { ConversationInfo } from '../../reference/info/conversation-info.ts';
import { RequestError } from '../../error.ts';

/** File of a conversation directory. */
export interface TrajectoryFile {
  /** Path with `/`; the first name is the id of the conversation. */
  readonly path: string;
  readonly text: string;
}

const replacement = '<redacted>';

/**
 * Yields a conversation as the directory that the reference writes, from any store: configuration, then the events in
 * their order. Values of fields that hold secrets by their names are removed; an event without any is unchanged.
 *
 * @throws {RequestError} as {@link checkWhole}, also after the events, of which some are only then known to be damaged.
 * @see agent-server 1.43.1, /api/file/download-trajectory
 */
export async function* trajectoryFiles(
  log: LogReader,
  { id }: Summary,
  info: ConversationInfo,
): AsyncGenerator<TrajectoryFile> {
  const { title, created_at, updated_at, tags, workspace, ...state } = info;
  const meta = { id: info.id, title, created_at, updated_at, tags, workspace };
  yield { path: `${id}/meta.json`, text: redactedJson(JSON.stringify(meta)) };
  yield { path: `${id}/base_state.json`, text: redactedJson(JSON.stringify({ ...state, workspace, tags })) };
  for await (const event of log.range(0)) {
    const name = `event-${String(event.seq).padStart(5, '0')}-${event.id.replaceAll(/[^\w-]/g, '_')}.json`;
    yield { path: `${id}/events/${name}`, text: redactedJson(event.text) };
  }
  await checkWhole(log);
}

/** @throws {RequestError} `conflict` for a log that lost events: its files would look whole. */
export async function checkWhole(log: LogReader): Promise<void> {
  const loss = await log.loss?.();
  if (loss) throw new RequestError('conflict', loss.message);
}

/** Returns text that is not an object unchanged: an imported log may contain it. */
function redactedJson(text: string): string {
  const value = objectOf(text);
  if (!value) return text;
  const redacted = JSON.stringify(redactSecretFields(value, replacement));
  return redacted === JSON.stringify(value) ? text : redacted;
}

function objectOf(text: string): object | undefined {
  const value = parseJson(text);
  return typeof value === 'object' && value !== null && !Array.isArray(value) ? value : undefined;
}

/** Returns a zip file of files, which are read as fast as the zip file is. A failure ends it with an error. */
export async function zipOf(files: AsyncIterable<TrajectoryFile>): Promise<ReadableStream<Uint8Array>> {
  // Loaded here, so that the server starts faster.
  const { TextReader, ZipWriter } = await import('@zip.js/zip.js');
  const { readable, writable } = new TransformStream<Uint8Array, Uint8Array>();
  const zip = new ZipWriter(writable, { useWebWorkers: false });
  const write = async (): Promise<void> => {
    for await (const { path, text } of files) await zip.add(path, new TextReader(text));
    await zip.close();
  };
  // The reader of the stream receives the error.
  write().catch((error: unknown) => writable.abort(error).catch(() => {}));
  return readable;
}
