import { isAddressable } from '../fold/tree.ts';
import type { LogEntry } from '../fold/timeline.ts';
import type { Choices } from './choices.ts';
import { edgeCaseTexts } from './edge-cases.ts';

/** Fields of an event. */
type Fields = Readonly<Record<string, unknown>>;

/** Call in the log, with the ids that a result refers to. */
interface WrittenCall {
  readonly action_id: string;
  readonly tool_call_id: string;
}

/** Log that is being written, and the events that later ones may refer to. */
export interface LogWriter {
  readonly choose: Choices;
  readonly calls: readonly WrittenCall[];
  /** Ids of all events so far. */
  readonly ids: readonly string[];
  readonly entries: readonly LogEntry[];
  write(kind: string, fields: Fields, source?: string): string;
  writeText(text: string): void;
  /** Records that the last event was a call. */
  addCall(toolCallId: string): void;
  text(): string;
}

/** Links between the events of a log: a tree of parent ids, or none, as in old logs. */
export type Linking = 'tree' | 'legacy';

/** Creates a writer of a random log. Most ids are new and most parents are the head, but not all. */
export function logWriter(choose: Choices, linking: Linking): LogWriter {
  const entries: LogEntry[] = [];
  const ids: string[] = [];
  const calls: WrittenCall[] = [];
  let head: string | undefined;
  const add = (id: string, kind: string, parentId: string | undefined, text: string): void => {
    entries.push({ seq: entries.length, id, kind, parentId, text });
    ids.push(id);
    if (isAddressable(id) && kind !== 'ConversationStateUpdateEvent') head = id;
  };
  const parentOf = (): string | undefined => {
    if (choose.once(12)) return choose.oneOf([...ids, '__root__', 'ffffffff-unknown', '']);
    if (linking === 'legacy' || entries.length === 0) return undefined;
    return head ?? '__root__';
  };
  return {
    choose,
    calls,
    ids,
    entries,
    write(kind, fields, source = 'environment') {
      const fresh = `e0000000-${entries.length.toString(16).padStart(4, '0')}`;
      const id = choose.once(25) ? (choose.oneOf(ids) ?? fresh) : fresh;
      const parent = parentOf();
      const timestamp = `2026-01-01T12:00:00.${String(entries.length).padStart(6, '0')}`;
      const link = parent === undefined ? {} : { parent_id: parent };
      add(id, kind, parent, JSON.stringify({ id, timestamp, source, ...link, ...fields, kind }));
      return id;
    },
    writeText: (text) => add(`f0000000-${entries.length}`, '', undefined, text),
    addCall: (tool_call_id) => calls.push({ action_id: ids.at(-1) ?? '', tool_call_id }),
    text: () => (choose.once(6) ? (choose.oneOf(edgeCaseTexts) ?? '') : `text ${choose.below(1000)}`),
  };
}
