import { openingAt, type Opening, endsLine, endsWithin, isAtLineStart, skipSpace, tags } from './tags.ts';

/** What a scanner knows about the names that may come. */
export interface KnownNames {
  readonly isTool: (name: string) => boolean;
  readonly isParameter: (name: string) => boolean;
}

/** A value as it was written. */
export interface ScannedValue {
  readonly text: string;
  /** Stood in CDATA sections: its bytes are exactly what was meant. */
  readonly isLiteral: boolean;
  /** Whether a closing tag ended it, and not what came next. */
  readonly isClosed: boolean;
  /** Where scanning goes on. */
  readonly end: number;
}

/** Tags without `=` too: in other notations they are closed by the same tags. */
const anyTag = /<\/parameter>|<parameter(?=[\s=>])|<\/function>|<function(?=[\s=>])/g;
const otherOpening = /<(?:parameter|function)(?:\s[^<>]*)?(?<!\/)>/y;
/** Nothing comes after the call. */
const lastEnd = /\s*<\/function>\s*(?:<\/tool_call>\s*)?(?![^])/y;

/**
 * The value of a parameter that was just opened. A closing tag counts only where the structure goes on after it, and closes
 * what was opened last, so a value may speak of tags and hold whole calls. Undefined when it has no end: it was cut off, or
 * its end cannot be told.
 */
export function scanParameter(
  text: string,
  { name, end: start }: Opening,
  known: KnownNames,
): ScannedValue | undefined {
  const first = skipSpace(text, start);
  if (text.startsWith(tags.literalOpen, first)) return scanLiteral(text, first);
  const inner = { calls: 0, parameters: 0 };
  let functionClose: number | undefined;
  for (const { 0: tag, index } of tagsFrom(text, start)) {
    const after = index + tag.length;
    if (tag === tags.functionClose) {
      if (inner.calls > 0) Object.assign(inner, { calls: inner.calls - 1, parameters: 0 });
      else if (endsLine(text, after)) functionClose = index;
    } else if (tag === tags.parameterClose) {
      const isInner = inner.parameters > 0 && (inner.calls > 0 || !isAt(lastEnd, text, after));
      if (isInner) inner.parameters -= 1;
      else if (goesOn(text, after, known)) return { ...plain(text, start, index), isClosed: true, end: after };
      // Said twice, or part of the value: nobody knows.
      else if (text.startsWith(tag, skipSpace(text, after))) return undefined;
    } else if (tag === '<function') {
      if (functionClose !== undefined && isAtLineStart(text, index)) break;
      if (openingAt('function', text, index) || isAt(otherOpening, text, index)) inner.calls += 1;
    } else if (inner.calls + inner.parameters === 0 && beginsParameter(text, index, known)) {
      return unclosed(text, { name, start, end: functionClose ?? index });
    } else if (openingAt('parameter', text, index) || isAt(otherOpening, text, index)) inner.parameters += 1;
  }
  return functionClose === undefined ? undefined : unclosed(text, { name, start, end: functionClose });
}

/** A value that what came next has ended; undefined when it may have been closed before, by a tag that was not quite right. */
function unclosed(
  text: string,
  { name, start, end }: { readonly name: string; readonly start: number; readonly end: number },
): ScannedValue | undefined {
  const value = plain(text, start, lineBefore(text, end));
  const mayBeClosed = ['</parameter', `</${name}>`].some((tag) => value.text.includes(tag));
  return mayBeClosed ? undefined : { ...value, isClosed: false, end };
}

function isAt(pattern: RegExp, text: string, at: number): boolean {
  const here = new RegExp(pattern);
  here.lastIndex = at;
  return here.test(text);
}

function* tagsFrom(text: string, start: number): Generator<RegExpExecArray> {
  const search = new RegExp(anyTag);
  search.lastIndex = start;
  for (let match = search.exec(text); match; match = search.exec(text)) yield match;
}

/** Whether what follows a closing tag is what must follow one. */
function goesOn(text: string, after: number, known: KnownNames): boolean {
  const at = skipSpace(text, after);
  if (at === text.length || text.startsWith(tags.functionClose, at) || text.startsWith(tags.wrapperClose, at))
    return true;
  if ([tags.functionClose, tags.wrapperClose, tags.parameterOpen].some((tag) => endsWithin(text, at, tag))) return true;
  const parameter = openingAt('parameter', text, at);
  return parameter === undefined ? beginsCall(text, at, known) : known.isParameter(parameter.name);
}

function beginsParameter(text: string, at: number, known: KnownNames): boolean {
  const parameter = openingAt('parameter', text, at);
  return parameter !== undefined && known.isParameter(parameter.name) && isAtLineStart(text, at);
}

function beginsCall(text: string, at: number, known: KnownNames): boolean {
  const call = openingAt('function', text, at);
  return call !== undefined && known.isTool(call.name) && isAtLineStart(text, at);
}

/**
 * One line feed on either side belongs to the tags, not to the value. A value may end in a carriage return, so one is
 * taken away only where the value also began with one.
 */
function plain(text: string, start: number, stop: number): Pick<ScannedValue, 'text' | 'isLiteral'> {
  const inside = text.slice(start, stop);
  const [lead] = /^\r?\n/.exec(inside) ?? [''];
  const value = inside.slice(lead.length);
  const tail = lead === '\r\n' ? /\r?\n[ \t]*$/ : /\n[ \t]*$/;
  const lastLine = value.lastIndexOf('\n');
  const head = Math.max(0, lastLine - 1);
  const trimmed = lead === '' || lastLine === -1 ? value : value.slice(0, head) + value.slice(head).replace(tail, '');
  return { text: trimmed, isLiteral: false };
}

/** Where a value ends that is ended by a tag in the next line: the line feed between them is no part of it. */
function lineBefore(text: string, tag: number): number {
  const lineStart = text.lastIndexOf('\n', tag - 1);
  return lineStart !== -1 && text.slice(lineStart, tag).trim() === '' ? lineStart : tag;
}

/** Sections one after the other; their end counts only before the closing tag, so a value may hold it. */
function scanLiteral(text: string, first: number): ScannedValue | undefined {
  const { literalOpen, literalClose, parameterClose, functionClose } = tags;
  const parts: string[] = [];
  let from = first + literalOpen.length;
  for (let close = text.indexOf(literalClose, from); close !== -1; close = text.indexOf(literalClose, close + 1)) {
    const after = close + literalClose.length;
    const next = skipSpace(text, after);
    if (text.startsWith(literalOpen, after)) {
      parts.push(text.slice(from, close));
      from = after + literalOpen.length;
      close = from - 1;
      continue;
    }
    const isClosed = text.startsWith(parameterClose, next);
    const isLast = isClosed || next === text.length || text.startsWith(functionClose, next);
    if (!isLast) continue;
    return {
      text: parts.join('') + text.slice(from, close),
      isLiteral: true,
      isClosed,
      end: isClosed ? next + parameterClose.length : next,
    };
  }
  return undefined;
}
