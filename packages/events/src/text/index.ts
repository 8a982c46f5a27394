export { eventLine, type LineOptions } from './event-line.ts';
export { eventText } from './event-text.ts';
export { safeText } from './safe-text.ts';
export type { TextMark, TextOptions } from './text-options.ts';
