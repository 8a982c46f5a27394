/** The specifiers a TypeScript source imports or re-exports, each once, in order; comments do not count. */
export function importsOf(text: string): readonly string[] {
  const code = text.replaceAll(/\/\*[\s\S]*?\*\//g, '').replaceAll(/^\s*\/\/.*$/gm, '');
  const matches = code.matchAll(/\b(?:from|import)\s*\(?\s*'([^'\n]+)'/g);
  return [...new Set([...matches].map(([, specifier]) => specifier ?? ''))];
}
