/** The first `ts` block of a Markdown text, or undefined. */
export function readmeSnippet(markdown: string): string | undefined {
  return tsBlocks(markdown)[0]?.code;
}

/** A `ts` block of a Markdown text. */
export interface Snippet {
  readonly code: string;
  /** Text of the block that follows directly, which has what the code prints; undefined without one. */
  readonly output: string | undefined;
}

/** The `ts` blocks of a Markdown text, in order. */
export function tsBlocks(markdown: string): readonly Snippet[] {
  const blocks = markdown.matchAll(/^```ts\n([\s\S]*?)^```\n(?:\nIt prints:\n\n```\n([\s\S]*?)^```$)?/gm);
  return [...blocks].map(([, code = '', output]) => ({ code, output }));
}
