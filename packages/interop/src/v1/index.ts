export { v1DirectoryFormat } from './event-directory.ts';
export { readEventTexts, type PlacedText, type ReadEvents } from './read-events.ts';
