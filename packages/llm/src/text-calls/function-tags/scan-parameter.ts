import { openingAt, type Opening, endsLine, endsWithin, isAtLineStart, skipSpace, tags } from './tags.ts';

/** Names that are valid in calls. */
export interface KnownNames {
  readonly isTool: (name: string) => boolean;
  readonly isParameter: (name: string) => boolean;
}

/** A value as it was written. */
export interface ScannedValue {
  readonly text: string;
  /** The value was written in CDATA sections, so its text is exact. */
  readonly isLiteral: boolean;
  /** The value was ended by its closing tag, not by the tag after it. */
  readonly isClosed: boolean;
  /** Position at which scanning continues. */
  readonly end: number;
}

/** Includes tags without `=`: other formats close them with the same tags. */
const anyTag = /<\/parameter>|<parameter(?=[\s=>])|<\/function>|<function(?=[\s=>])/g;
const otherOpening = /<(?:parameter|function)(?:\s[^<>]*)?(?<!\/)>/y;
/** The end of a call that is the end of the text. */
const lastEnd = /\s*<\/function>\s*(?:<\/tool_call>\s*)?(?![^])/y;

/**
 * Reads the value of a parameter after its opening tag. A closing tag counts only where the structure of a call follows
 * it, and closes the tag that was opened last, so a value may mention tags and contain complete calls. Returns
 * undefined when the value was cut off or its end is ambiguous.
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
      else if (isFollowedByStructure(text, after, known))
        return { ...plainValue(text, start, index), isClosed: true, end: after };
      // Repeated by mistake or part of the value: ambiguous.
      else if (text.startsWith(tag, skipSpace(text, after))) return undefined;
    } else if (tag === '<function') {
      if (functionClose !== undefined && isAtLineStart(text, index)) break;
      if (openingAt('function', text, index) || isAt(otherOpening, text, index)) inner.calls += 1;
    } else if (inner.calls + inner.parameters === 0 && beginsParameter(text, index, known)) {
      return unclosedValue(text, { name, start, end: functionClose ?? index });
    } else if (openingAt('parameter', text, index) || isAt(otherOpening, text, index)) inner.parameters += 1;
  }
  return functionClose === undefined ? undefined : unclosedValue(text, { name, start, end: functionClose });
}

/** Reads a value ended by the tag after it. Returns undefined when a misspelt closing tag may have ended it earlier. */
function unclosedValue(
  text: string,
  { name, start, end }: { readonly name: string; readonly start: number; readonly end: number },
): ScannedValue | undefined {
  const value = plainValue(text, start, lineBefore(text, end));
  const mayBeClosed = ['</parameter', `</${name}>`].some((tag) => value.text.includes(tag));
  return mayBeClosed ? undefined : { ...value, isClosed: false, end };
}

function isAt(pattern: RegExp, text: string, at: number): boolean {
  const sticky = new RegExp(pattern);
  sticky.lastIndex = at;
  return sticky.test(text);
}

function* tagsFrom(text: string, start: number): Generator<RegExpExecArray> {
  const search = new RegExp(anyTag);
  search.lastIndex = start;
  for (let match = search.exec(text); match; match = search.exec(text)) yield match;
}

/** Returns whether a closing tag is followed by the text that must follow one. */
function isFollowedByStructure(text: string, after: number, known: KnownNames): boolean {
  const at = skipSpace(text, after);
  if (at === text.length || text.startsWith(tags.functionClose, at) || text.startsWith(tags.wrapperClose, at))
    return true;
  if ([tags.functionClose, tags.wrapperClose, tags.parameterOpen].some((tag) => endsWithin(text, at, tag))) return true;
  // Also a parameter that the tool does not have: a value that contained it would be another than the model wrote.
  return openingAt('parameter', text, at) !== undefined || beginsCall(text, at, known);
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
 * Returns a value without one line feed on each side, which belongs to the tags. A value may end in a carriage return,
 * so one is removed only when the value also began with one.
 */
function plainValue(text: string, start: number, stop: number): Pick<ScannedValue, 'text' | 'isLiteral'> {
  const inside = text.slice(start, stop);
  const [lead] = /^\r?\n/.exec(inside) ?? [''];
  const value = inside.slice(lead.length);
  const tail = lead === '\r\n' ? /\r?\n[ \t]*$/ : /\n[ \t]*$/;
  const lastLine = value.lastIndexOf('\n');
  const head = Math.max(0, lastLine - 1);
  const trimmed = lead === '' || lastLine === -1 ? value : value.slice(0, head) + value.slice(head).replace(tail, '');
  return { text: trimmed, isLiteral: false };
}

/**
 * Returns the end of a value that is ended by a tag in the next line: the line feed between them is not part of the
 * value.
 */
function lineBefore(text: string, tag: number): number {
  const lineStart = text.lastIndexOf('\n', tag - 1);
  return lineStart !== -1 && text.slice(lineStart, tag).trim() === '' ? lineStart : tag;
}

/** Reads consecutive CDATA sections. Their end counts only before the closing tag, so a value may contain it. */
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
