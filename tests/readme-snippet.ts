/** The first `ts` block of a Markdown text, or undefined. */
export function readmeSnippet(markdown: string): string | undefined {
  return /^```ts\n([\s\S]*?)^```$/m.exec(markdown)?.[1];
}
