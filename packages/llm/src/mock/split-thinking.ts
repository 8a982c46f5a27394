import { tags } from './tags.ts';

/** Words that a model thought, told apart from words that it said. */
export interface SplitText {
  readonly reasoning: string;
  readonly text: string;
}

const open = '<think>';
const close = '</think>';
/** A closing tag that nothing opened: alone in its line, or right before a call. */
const loneClose = /^[ \t]*<\/think>[ \t]*$|<\/think>\s*(?=<tool_call>|<function=)/m;

/**
 * Takes thinking from the beginning of a text. Some servers send only its closing tag; one that comes after a call does not
 * count, for it is part of a value. Thinking without an end is all there is.
 */
export function splitThinking(whole: string): SplitText {
  const start = whole.trimStart();
  if (start.startsWith(open)) {
    const end = start.indexOf(close);
    const text = end === -1 ? '' : start.slice(end + close.length).trimStart();
    return { reasoning: start.slice(open.length, end === -1 ? undefined : end).trim(), text };
  }
  const lone = loneClose.exec(whole);
  const call = whole.indexOf(tags.functionOpen);
  if (!lone || (call !== -1 && call < lone.index)) return { reasoning: '', text: whole };
  return {
    reasoning: whole.slice(0, lone.index).trim(),
    text: whole.slice(lone.index + lone[0].length).trimStart(),
  };
}

/** Reasoning that came in a field of its own, and what was thought within the text. */
export function joined(reasoning: string, thought: string): string {
  return [reasoning, thought].filter((each) => each !== '').join('\n\n');
}
