import { scanCall, type ScannedCall } from './scan-call.ts';
import type { KnownNames } from './scan-parameter.ts';
import { unopenedClose, opensThinking } from './split-thinking.ts';
import { skipSpace, tags } from './tags.ts';

/** The parts of a reply. */
export interface ScannedReply {
  /** Text before a closing tag of reasoning that has no opening tag, including calls; usually empty. */
  readonly leadingReasoning: string;
  /** Text before and between the calls. */
  readonly text: string;
  readonly calls: readonly ScannedCall[];
  /** Number of characters after the last call that were dropped. */
  readonly droppedChars: number;
}

/** Options of {@link scanReply}. */
export interface ScanOptions {
  readonly knownIn: (tool: string) => KnownNames;
  /** Further calls are dropped, like all text after the last call. */
  readonly maxCalls: number;
  /** Treats every call in a code fence as an example, even when the fence contains nothing else. */
  readonly isFenceCode?: boolean;
}

/**
 * Finds the calls in a reply. A call begins at the start of a line, after a wrapper or after another call. In a code
 * fence it is an example, unless the fence contains nothing else. Tool results invented by the model end the reply, as
 * does reasoning after a call. Takes time linear in the length of the text.
 */
export function scanReply(text: string, options: ScanOptions): ScannedReply {
  let leadingReasoning = '';
  let begin = 0;
  let foundCalls: FoundCall[] = [];
  for (let from = 0; ;) {
    const next = nextCall(text, from, options);
    const between = text.slice(from, next?.start);
    if (foundCalls.length > 0 && (startsResult(between) || opensThinking(between))) break;
    const lone = foundCalls.length > 0 ? unopenedClose(between) : undefined;
    if (lone) {
      leadingReasoning = text.slice(0, from + lone.start).trim();
      begin = from + lone.end;
      foundCalls = [];
    }
    if (!next) break;
    foundCalls.push(next);
    from = next.end;
  }
  const calls = foundCalls.slice(0, options.maxCalls);
  const starts = [begin, ...calls.map(({ end }) => end)];
  const between = calls.map(({ start }, index) => text.slice(starts[index], start));
  const rest = text.slice(starts.at(-1));
  const visible = calls.length > 0 ? joinParts(between) : rest;
  return {
    leadingReasoning,
    text: leadingReasoning === '' ? visible : visible.trimStart(),
    calls: calls.map(({ call }) => call),
    droppedChars: calls.length > 0 ? rest.trim().length : 0,
  };
}

function joinParts(parts: readonly string[]): string {
  return parts
    .map((each, index) => (index === 0 ? each.trimEnd() : each.trim()))
    .filter((each) => each !== '')
    .join('\n\n');
}

interface FoundCall {
  /** Start of the call with its wrapper or fence, and the position at which scanning continues. */
  readonly start: number;
  readonly end: number;
  readonly call: ScannedCall;
}

interface Fence {
  readonly start: number;
  readonly mark: string;
  readonly bodyStart: number;
}

/** A fence, at any depth of a list, or a call. A line with further backticks is inline code. */
const lineOrCall = /^[ \t]*(`{3,}(?=[^`\n]*$)|~{3,})[^\n]*|<function=/gm;

function nextCall(text: string, from: number, { knownIn, isFenceCode = false }: ScanOptions): FoundCall | undefined {
  const search = new RegExp(lineOrCall);
  search.lastIndex = from;
  let fence: Fence | undefined;
  for (let match = search.exec(text); match; match = search.exec(text)) {
    const { 0: matched, 1: mark, index } = match;
    if (mark !== undefined) {
      if (!fence) fence = { start: index, mark, bodyStart: index + matched.length };
      else if (mark.startsWith(fence.mark) && matched.trim() === mark) fence = undefined;
      continue;
    }
    const start = beginningOf(text, fence ? fence.bodyStart : from, index);
    if (start === undefined) continue;
    const call = scanCall(text, index, knownIn);
    if (!call) continue;
    const end = afterWrapper(text, call.end);
    if (!fence) return { start, end, call };
    const isAlone = !isFenceCode && start === fence.bodyStart;
    const fenceEnd = isAlone ? endOfFence(text, end, fence.mark) : undefined;
    if (fenceEnd !== undefined) return { start: fence.start, end: fenceEnd, call };
    search.lastIndex = call.end;
  }
  return undefined;
}

/** Returns the start of a call at `at`, including its wrapper; undefined at a position where no call can begin. */
function beginningOf(text: string, from: number, at: number): number | undefined {
  let start = beforeSpace(text, from, at);
  const { wrapperOpen } = tags;
  const isWrapped = start - wrapperOpen.length >= from && text.startsWith(wrapperOpen, start - wrapperOpen.length);
  if (isWrapped) start = beforeSpace(text, from, start - wrapperOpen.length);
  return isWrapped || start === from || text.slice(start, at).includes('\n') ? start : undefined;
}

function beforeSpace(text: string, from: number, at: number): number {
  let start = at;
  while (start > from && /\s/.test(text.charAt(start - 1))) start -= 1;
  return start;
}

function afterWrapper(text: string, end: number): number {
  const at = skipSpace(text, end);
  return text.startsWith(tags.wrapperClose, at) ? at + tags.wrapperClose.length : end;
}

/** Returns the end of a fence whose only content is a call that ends at `from`; undefined when it contains more. */
function endOfFence(text: string, from: number, mark: string): number | undefined {
  const at = skipSpace(text, from);
  if (at === text.length) return at;
  return text.startsWith(mark, at) ? at + mark.length : undefined;
}

function startsResult(between: string): boolean {
  return between.split('\n').some((line) => line.trimStart().startsWith(tags.result));
}
