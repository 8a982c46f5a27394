import { textOf, type Content } from '@varve/events';
import { shortenMiddle } from './shorten-middle.ts';

/** Longest text of one tool result in a request, in UTF-16 units. The message itself is kept whole. */
const maxToolText = 50_000;

/** What a tool result says in a request: its text blocks, without the middle of a very long one. */
export function toolText(content: readonly Content[]): string {
  return shortenMiddle(textOf(content), maxToolText);
}
