import { tags } from './tags.ts';

/** Words that a model thought, told apart from words that it said. */
export interface SplitText {
  readonly reasoning: string;
  readonly text: string;
}

const opening = /^[ \t]*<(think|thinking)>/gm;
/** A closing tag that nothing opened: alone in its line, or right before a call. */
const loneClose = /^[ \t]*<\/think(?:ing)?>[ \t]*\r?$|<\/think(?:ing)?>\s*(?=<tool_call>|<function=)/m;

/**
 * Takes thinking from a text: blocks that begin a line before the first call, and what a closing tag ends that nothing
 * opened, for some servers send only that. Tags after a call may be part of a value. Thinking without an end is all there is.
 */
export function splitThinking(whole: string): SplitText {
  const found = whole.indexOf(tags.functionOpen);
  const lone = unopenedClose(whole.slice(0, found === -1 ? undefined : found + tags.functionOpen.length));
  if (lone) return { reasoning: whole.slice(0, lone.start).trim(), text: whole.slice(lone.end).trimStart() };
  const thoughts: string[] = [];
  const said: string[] = [];
  const search = new RegExp(opening);
  let from = 0;
  let call = found;
  for (let match = search.exec(whole); match; match = search.exec(whole)) {
    if (call !== -1 && call < match.index) break;
    const close = `</${match[1]}>`;
    const end = whole.indexOf(close, search.lastIndex);
    said.push(whole.slice(from, match.index));
    thoughts.push(whole.slice(search.lastIndex, end === -1 ? undefined : end).trim());
    from = end === -1 ? whole.length : end + close.length;
    search.lastIndex = from;
    if (call !== -1 && call < from) call = whole.indexOf(tags.functionOpen, from);
  }
  if (thoughts.length === 0) return { reasoning: '', text: whole };
  const last = whole.slice(from).trimStart();
  const before = said.map((each, index) => (index === 0 ? each.trimEnd() : each.trim()));
  return {
    reasoning: thoughts.filter((each) => each !== '').join('\n\n'),
    text: [...before, last].filter((each) => each.trim() !== '').join('\n\n'),
  };
}

/** Whether a text ends within thinking, or holds thinking that has ended. */
export function opensThinking(text: string): boolean {
  return text.search(opening) !== -1;
}

/** Where thinking ends that began before this text, or without a tag. */
export function unopenedClose(text: string): { readonly start: number; readonly end: number } | undefined {
  const lone = opensThinking(text) ? null : loneClose.exec(text);
  return lone ? { start: lone.index, end: lone.index + lone[0].length } : undefined;
}

/** Reasoning that came in a field of its own, and what was thought within the text. */
export function joinReasoning(reasoning: string, thought: string): string {
  return [reasoning, thought].filter((each) => each !== '').join('\n\n');
}
