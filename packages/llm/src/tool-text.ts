import { textOf, type Content } from '@varve/events';
import { truncateMiddle } from '@varve/text';

/** Maximum length of the text of one tool result in a request, in UTF-16 units. The stored message is not shortened. */
const maxToolText = 50_000;

/** Returns the text of a tool result for a request: its text blocks, with the middle of a very long text removed. */
export function toolText(content: readonly Content[]): string {
  const text = textOf(content);
  const omitted = `${text.length - maxToolText} of ${text.length}`;
  return truncateMiddle(text, maxToolText, () => `\n[… ${omitted} characters left out here …]\n`);
}
