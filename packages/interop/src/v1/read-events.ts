import { eventCodec, isOpaque } from '@varve/events';
import { builtinKinds } from '@varve/events/kinds';
import type { LogEntry } from '@varve/events/projections';
import { fieldsOf, parseForeignJson, stringOf } from '../common/foreign-json.ts';
import type { Problem } from '../common/log-format.ts';
import { InteropError } from '../error.ts';
import { withClassName } from './documented-kinds.ts';

const codec = eventCodec(builtinKinds);

/** Text of an event with its place. */
export interface PlacedText {
  readonly place: string;
  /** Undefined if it could not be read. */
  readonly text: string | undefined;
}

/** Events with the texts that could not be read. */
export interface ReadEvents {
  readonly entries: readonly LogEntry[];
  readonly problems: readonly Problem[];
}

/**
 * Reads events of the reference. Texts are kept byte for byte; events under the names of the design page get their
 * class names. Text without an id or a kind is left out, and so is a second event with one id.
 */
export function readEventTexts(texts: readonly PlacedText[]): ReadEvents {
  const entries: LogEntry[] = [];
  const problems: Problem[] = [];
  const ids = new Set<string>();
  for (const { place, text } of texts) {
    const entry = text === undefined ? 'It is not UTF-8 text.' : entryOf(text, entries.length);
    if (typeof entry === 'string') problems.push({ place, reason: entry });
    else if (ids.has(entry.id)) problems.push({ place, reason: 'Its id is that of another event.' });
    else {
      ids.add(entry.id);
      entries.push(entry);
      const event = codec.read(entry.text);
      if (isOpaque(event) && event.problem !== undefined)
        problems.push({ place, reason: 'Its fields are not those of its kind.' });
    }
  }
  return { entries, problems };
}

/** Returns an entry, or the reason why a text is not an event. */
function entryOf(text: string, seq: number): LogEntry | string {
  try {
    const fields = fieldsOf(parseForeignJson(text, 'It'));
    const { id, kind } = fields ?? {};
    if (!fields || typeof kind !== 'string' || typeof id !== 'string' || id === '') return 'It is not an event.';
    const named = withClassName(fields);
    const own = named === fields ? text : JSON.stringify(named);
    const parentId = stringOf(fields['parent_id']);
    return { seq, id, kind: stringOf(named['kind']) ?? kind, parentId, text: own };
  } catch (error) {
    if (error instanceof InteropError) return error.message;
    throw error;
  }
}
