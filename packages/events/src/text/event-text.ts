import type { BaseEvent } from '../define-event.ts';
import { builtinKinds } from '../kinds/builtin-kinds.ts';
import { isOpaque } from '../opaque-event.ts';
import { scanForLoss } from '../json.ts';
import { safeText } from './safe-text.ts';
import type { TextMark, TextOptions } from './text-options.ts';
import { fieldLines, type Field } from './value-text.ts';

const base = new Set(['id', 'timestamp', 'source', 'parent_id', 'kind']);
const builtin = new Set<string>(builtinKinds.map(({ kind }) => kind));
const plain = (_mark: TextMark, text: string): string => text;

/**
 * All of an event as lines of text for people, uncut: a heading with its kind, source, time and id, then its fields by name,
 * in wire order; what is empty is left out, and of images in the text only type and size are told. An event of a kind that
 * is not built in shows its JSON, as does one that could not be read. Total, like `eventLine`; the last line has no end.
 */
export function eventText(event: BaseEvent, { mark = plain }: TextOptions = {}): string {
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
  return fieldLines(Object.entries(event).flatMap(shown), label);
}

/** A payload stands under its kind, which its author wrote last. */
function shown([name, value]: readonly [string, unknown]): readonly Field[] {
  if (base.has(name)) return [];
  if ((name !== 'action' && name !== 'observation') || typeof value !== 'object' || value === null) {
    return [{ name, value }];
  }
  const { kind, ...fields } = value as Readonly<Record<string, unknown>>;
  return [{ name, value: { kind, ...fields } }];
}

/** What is nested too deep is left as it is: indented, it would grow with the square of its depth. */
function prettyJson(text: string): string {
  try {
    const value: unknown = JSON.parse(text);
    const isFlat = typeof value === 'object' && value !== null && scanForLoss(value).problem === undefined;
    return isFlat ? JSON.stringify(value, undefined, 2) : text;
  } catch {
    return text;
  }
}
