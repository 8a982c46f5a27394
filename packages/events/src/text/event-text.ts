import type { BaseEvent } from '../define-event.ts';
import { builtinKinds } from '../kinds/builtin-kinds.ts';
import { isOpaque } from '../opaque-event.ts';
import { freezeAndScan } from '../json.ts';
import { safeText } from '../safe-text/safe-text.ts';
import type { TextMark } from './text-line.ts';
import { fieldLines, type Field } from './value-text.ts';

const base = new Set(['id', 'timestamp', 'source', 'parent_id', 'kind']);
const builtin = new Set<string>(builtinKinds.map(({ kind }) => kind));
const plain = (_mark: TextMark, text: string): string => text;

/** Options of {@link eventText}. */
export interface EventTextOptions {
  /**
   * Decorates a piece of text, for instance with a colour. Receives text that is safe for a terminal. Must not throw.
   */
  readonly mark?: (mark: TextMark, text: string) => string;
}

/**
 * Renders all of an event for people, uncut: a heading with its kind, source, time and id, then its fields by name in
 * wire order. Empty values are omitted; inline images appear as their type and size. An event of a kind that is not
 * built in, or that could not be read, appears as JSON. Total: any event of a log can be rendered. Ends without a line
 * feed.
 */
export function eventText(event: BaseEvent, { mark = plain }: EventTextOptions = {}): string {
  const label = (name: string): string => mark('label', `${name}:`);
  const heading = [titleOf(event), event.source, event.timestamp, event.id].filter((part) => part !== '').join('  ');
  return [mark('heading', safeText(heading).replaceAll('\n', ' ')), ...bodyOf(event, label, mark)].join('\n');
}

function titleOf(event: BaseEvent): string {
  return isOpaque(event) ? event.wireKind || 'unreadable event' : event.kind;
}

function bodyOf(
  event: BaseEvent,
  label: (name: string) => string,
  mark: (mark: TextMark, text: string) => string,
): readonly string[] {
  if (isOpaque(event)) {
    const problem = event.problem === undefined ? [] : [mark('error', safeText(event.problem))];
    return [...problem, ...safeText(prettyJson(event.text)).split('\n')];
  }
  if (!builtin.has(event.kind)) return safeText(JSON.stringify(event, undefined, 2)).split('\n');
  return fieldLines(Object.entries(event).flatMap(fieldsOf), label);
}

/** Moves the kind of a payload, which is written last, to the top. */
function fieldsOf([name, value]: readonly [string, unknown]): readonly Field[] {
  if (base.has(name)) return [];
  if ((name !== 'action' && name !== 'observation') || typeof value !== 'object' || value === null) {
    return [{ name, value }];
  }
  const { kind, ...fields } = value as Readonly<Record<string, unknown>>;
  return [{ name, value: { kind, ...fields } }];
}

/** Leaves deeply nested JSON as it is: indented, its length would grow with the square of its depth. */
function prettyJson(text: string): string {
  try {
    const value: unknown = JSON.parse(text);
    const isFlat = typeof value === 'object' && value !== null && freezeAndScan(value).problem === undefined;
    return isFlat ? JSON.stringify(value, undefined, 2) : text;
  } catch {
    return text;
  }
}
