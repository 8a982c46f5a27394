import { eventCodec, isOpaque } from '@varve/events';
import { builtinKinds } from '@varve/events/kinds';
import type { LogEntry } from '@varve/events/projections';
import { fieldsOf, parseForeignJson, stringOf } from '../common/foreign-json.ts';
import { movesHead } from '../common/log-builder.ts';
import type { Problem } from '../common/log-format.ts';
import { InteropError } from '../error.ts';
import { withClassName } from './documented-kinds.ts';

const codec = eventCodec(builtinKinds);

/** Parent of an event that starts another tree. */
const root = '__root__';

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
 * class names. Text without an id or a kind is left out, and so is a second event with one id. An event whose parent is
 * missing follows the event before it, and is reported; one with the parent `__root__` starts another tree.
 */
export function readEventTexts(texts: readonly PlacedText[]): ReadEvents {
  const entries: LogEntry[] = [];
  const problems: Problem[] = [];
  const read = texts.map(({ place, text }) => ({
    place,
    entry: text === undefined ? 'It is not UTF-8 text.' : entryOf(text),
  }));
  const known = new Set(read.flatMap(({ entry }) => (typeof entry === 'string' ? [] : entry.id)));
  const ids = new Set<string>();
  for (const { place, entry: readEntry } of read) {
    if (typeof readEntry === 'string') problems.push({ place, reason: readEntry });
    else if (ids.has(readEntry.id)) problems.push({ place, reason: 'Its id is that of another event.' });
    else {
      ids.add(readEntry.id);
      const { parentId = root } = readEntry;
      const hasParent = parentId === root || known.has(parentId);
      const entry = { ...(hasParent ? readEntry : withParent(readEntry, entries)), seq: entries.length };
      if (!hasParent)
        problems.push({ place, reason: 'Its parent is missing: it follows the event before it.', isRead: true });
      entries.push(entry);
      const event = codec.read(entry.text);
      if (isOpaque(event) && event.problem !== undefined)
        problems.push({ place, reason: 'Its fields are not those of its kind.' });
    }
  }
  return { entries, problems };
}

/** Returns an event whose parent is missing as a successor of the event before it. */
function withParent(entry: FoundEntry, before: readonly LogEntry[]): FoundEntry {
  const parentId = before.findLast(({ kind }) => movesHead.get(kind) !== false)?.id;
  const { parent_id: _missing, kind, ...fields } = fieldsOf(JSON.parse(entry.text)) ?? {};
  const text = JSON.stringify({ ...fields, ...(parentId !== undefined && { parent_id: parentId }), kind });
  return { ...entry, parentId, text };
}

type FoundEntry = Omit<LogEntry, 'seq'>;

/** Returns an entry, or the reason why a text is not an event. */
function entryOf(text: string): FoundEntry | string {
  try {
    const fields = fieldsOf(parseForeignJson(text, 'It'));
    const { id, kind } = fields ?? {};
    if (!fields || typeof kind !== 'string' || typeof id !== 'string' || id === '') return 'It is not an event.';
    const named = withClassName(fields);
    const recordText = named === fields ? text : JSON.stringify(named);
    const parentId = stringOf(fields['parent_id']);
    return { id, kind: stringOf(named['kind']) ?? kind, parentId, text: recordText };
  } catch (error) {
    if (error instanceof InteropError) return error.message;
    throw error;
  }
}
