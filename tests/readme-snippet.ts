/** The first `ts` block of a Markdown text, or undefined. */
export function readmeSnippet(markdown: string): string | undefined {
  return blocksOf(markdown, 'ts')[0];
}

/** The contents of the blocks of a language in a Markdown text, in order. */
export function blocksOf(markdown: string, language: 'ts' | 'text'): readonly string[] {
  const blocks = markdown.matchAll(/^```(\w+)\n([\s\S]*?)^```$/gm);
  return [...blocks].flatMap(([, name, code = '']) => (name === language ? [code] : []));
}
