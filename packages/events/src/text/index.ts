export { callLines } from './whole-call-lines.ts';
export { eventLines, textWithImages } from './event-lines.ts';
export { condenserLines } from './condenser-lines.ts';
export { partialReplyLines } from './partial-reply-lines.ts';
export { eventText } from './event-text.ts';
export type { TextLine, TextMark } from './text-line.ts';
export { revealHidden } from '../safe-text/reveal-hidden.ts';
export { safeJson, safeText } from '../safe-text/safe-text.ts';
