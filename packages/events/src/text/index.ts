export { callLines } from './whole-call-lines.ts';
export { eventLines } from './event-lines.ts';
export { factLines } from './fact-lines.ts';
export { eventText, type EventTextOptions } from './event-text.ts';
export type { TextLine, TextMark } from './text-line.ts';
