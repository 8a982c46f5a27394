export { htmlFormat } from './html.ts';
export { markdownFormat } from './markdown.ts';
export { transcriptOf, type TranscriptPart } from './transcript.ts';
