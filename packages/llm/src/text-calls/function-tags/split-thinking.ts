import { tags } from './tags.ts';

/** The reasoning and the rest of a text. */
export interface SplitText {
  readonly reasoning: string;
  readonly text: string;
}

const opening = /^[ \t]*<(think|thinking)>/gm;
/** A closing tag without an opening tag: alone in its line, or directly before a call. */
const loneClose = /^[ \t]*<\/think(?:ing)?>[ \t]*\r?$|<\/think(?:ing)?>\s*(?=<tool_call>|<function=)/m;

/**
 * Separates reasoning from a text: blocks that begin a line before the first call, and the text before a closing tag
 * that has no opening tag, because some servers send only that. Tags after a call may be part of a value. Without a
 * closing tag, the rest of the text is reasoning.
 */
export function splitThinking(whole: string): SplitText {
  const start = whole.indexOf(tags.functionOpen);
  const lone = unopenedClose(whole.slice(0, start === -1 ? undefined : start + tags.functionOpen.length));
  if (lone) return { reasoning: whole.slice(0, lone.start).trim(), text: whole.slice(lone.end).trimStart() };
  const thoughts: string[] = [];
  const parts: string[] = [];
  const search = new RegExp(opening);
  let from = 0;
  let call = start;
  for (let match = search.exec(whole); match; match = search.exec(whole)) {
    if (call !== -1 && call < match.index) break;
    const close = `</${match[1]}>`;
    const end = whole.indexOf(close, search.lastIndex);
    parts.push(whole.slice(from, match.index));
    thoughts.push(whole.slice(search.lastIndex, end === -1 ? undefined : end).trim());
    from = end === -1 ? whole.length : end + close.length;
    search.lastIndex = from;
    if (call !== -1 && call < from) call = whole.indexOf(tags.functionOpen, from);
  }
  if (thoughts.length === 0) return { reasoning: '', text: whole };
  const last = whole.slice(from).trimStart();
  const before = parts.map((each, index) => (index === 0 ? each.trimEnd() : each.trim()));
  return {
    reasoning: thoughts.filter((each) => each !== '').join('\n\n'),
    text: [...before, last].filter((each) => each.trim() !== '').join('\n\n'),
  };
}

/** Returns whether a text contains the beginning of reasoning. */
export function opensThinking(text: string): boolean {
  return text.search(opening) !== -1;
}

/** Returns the closing tag of reasoning that began before this text or without an opening tag. */
export function unopenedClose(text: string): { readonly start: number; readonly end: number } | undefined {
  const lone = opensThinking(text) ? null : loneClose.exec(text);
  return lone ? { start: lone.index, end: lone.index + lone[0].length } : undefined;
}

/** Joins the reasoning of the reply's own field and the reasoning found in its text. */
export function joinReasoning(reasoning: string, inText: string): string {
  return [reasoning, inText].filter((each) => each !== '').join('\n\n');
}
