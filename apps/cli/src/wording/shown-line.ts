import type { TextLine } from '@varve/events/text';
import { markStyles } from '../terminal/mark-styles.ts';
import { styled, type Printable } from '../terminal/output.ts';

/** Styles a line. Messages of the user and of the agent get an empty line above them. */
export function shownLine({ mark, text }: TextLine): Printable {
  const line = mark ? styled(markStyles[mark], text) : text;
  return mark === undefined || mark === 'user' ? ['\n', line] : line;
}
