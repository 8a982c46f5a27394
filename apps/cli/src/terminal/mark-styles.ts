import type { TextMark } from '@varve/events/text';
import type { Style } from './output.ts';

/** Style of the lines of an event. */
export const markStyles: Readonly<Record<TextMark, Style>> = {
  heading: 'bold',
  label: 'bold',
  user: 'bold',
  action: 'cyan',
  quiet: 'dim',
  error: 'red',
  warning: 'yellow',
  success: 'green',
};
