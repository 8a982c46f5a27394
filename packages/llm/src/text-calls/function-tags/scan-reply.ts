import { scanCall, type ScannedCall } from './scan-call.ts';
import type { KnownNames } from './scan-parameter.ts';
import { unopenedClose, opensThinking } from './split-thinking.ts';
import { skipSpace, tags } from './tags.ts';

/** A reply taken apart. */
export interface ScannedReply {
  /** What was thought, calls included, before thinking ended that began without a tag; mostly empty. */
  readonly leadingReasoning: string;
  /** What was said before and between the calls. */
  readonly text: string;
  readonly calls: readonly ScannedCall[];
  /** How many characters after the last call were left out. */
  readonly droppedChars: number;
}

/** What a scanner needs to know. */
export interface ScanOptions {
  readonly knownIn: (tool: string) => KnownNames;
  /** Further calls are left out like everything after the last call. */
  readonly maxCalls: number;
  /** Whether everything within a code fence is an example, also a call that it holds alone. */
  readonly isFenceCode?: boolean;
}

/**
 * The calls in a reply. A call begins at the start of a line, after a wrapper or after another call; within a code fence it
 * is an example, unless the fence holds nothing else. Results that a model makes up end the reply, and so does thinking
 * after a call. Takes time in proportion to the text.
 */
export function scanReply(text: string, options: ScanOptions): ScannedReply {
  let thought = '';
  let begin = 0;
  let found: FoundCall[] = [];
  for (let from = 0; ;) {
    const next = nextCall(text, from, options);
    const between = text.slice(from, next?.start);
    if (found.length > 0 && (startsResult(between) || opensThinking(between))) break;
    const lone = found.length > 0 ? unopenedClose(between) : undefined;
    if (lone) {
      thought = text.slice(0, from + lone.start).trim();
      begin = from + lone.end;
      found = [];
    }
    if (!next) break;
    found.push(next);
    from = next.end;
  }
  const calls = found.slice(0, options.maxCalls);
  const starts = [begin, ...calls.map(({ end }) => end)];
  const said = calls.map(({ start }, index) => text.slice(starts[index], start));
  const rest = text.slice(starts.at(-1));
  const words = calls.length > 0 ? together(said) : rest;
  return {
    leadingReasoning: thought,
    text: thought === '' ? words : words.trimStart(),
    calls: calls.map(({ call }) => call),
    droppedChars: calls.length > 0 ? rest.trim().length : 0,
  };
}

function together(said: readonly string[]): string {
  return said
    .map((each, index) => (index === 0 ? each.trimEnd() : each.trim()))
    .filter((each) => each !== '')
    .join('\n\n');
}

interface FoundCall {
  /** Where the call begins, its wrapper or fence included, and where scanning goes on after it. */
  readonly start: number;
  readonly end: number;
  readonly call: ScannedCall;
}

interface Fence {
  readonly start: number;
  readonly mark: string;
  readonly bodyStart: number;
}

/** A fence, at any depth of a list; a line with further backticks is code within words. */
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

/** Where a call at `at` begins when a wrapper is counted in; undefined where none can begin. */
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

/** Where a fence ends whose only content was a call that ended at `from`; undefined when it holds more. */
function endOfFence(text: string, from: number, mark: string): number | undefined {
  const at = skipSpace(text, from);
  if (at === text.length) return at;
  return text.startsWith(mark, at) ? at + mark.length : undefined;
}

function startsResult(between: string): boolean {
  return between.split('\n').some((line) => line.trimStart().startsWith(tags.result));
}
