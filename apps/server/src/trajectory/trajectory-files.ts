import { redactSecretFields } from '@varve/text';
import type { LogReader, Summary } from '@varve/storage';
import type { ConversationInfo } from '../info/conversation-info.ts';

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
}

/** Returns text that is not an object unchanged: an imported log may contain it. */
function redactedJson(text: string): string {
  const value = objectOf(text);
  if (!value) return text;
  const redacted = JSON.stringify(redactSecretFields(value, replacement));
  return redacted === JSON.stringify(value) ? text : redacted;
}

function objectOf(text: string): object | undefined {
  try {
    const value: unknown = JSON.parse(text);
    return typeof value === 'object' && value !== null && !Array.isArray(value) ? value : undefined;
  } catch {
    return undefined;
  }
}
