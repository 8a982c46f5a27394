/** Returns the sentence about a conversation whose import did not end: its log is a part of the imported one. */
export function unfinishedImport(id: string): string {
  return `The import of conversation ${id} did not end: import it again.`;
}
