const declaration =
  /^export (?:declare |abstract |async )*(function\*?|class|const|let|interface|type|enum) (\w+)(.*(?:\n {2,}.*)*)/gm;

/**
 * Returns the exported names of a source file without a docstring.
 *
 * A type derived with `typeof` from a documented name of the same file needs none, nor do further overloads.
 */
export function undocumented(text: string): readonly string[] {
  const seen = new Set<string>();
  return [...text.matchAll(declaration)]
    .filter(([, keyword, name = '', rest = ''], index, all) => {
      const first = !seen.has(`${keyword} ${name}`);
      seen.add(`${keyword} ${name}`);
      const origin = keyword === 'type' ? /\btypeof (\w+)/.exec(rest)?.[1] : undefined;
      return first && !isDocumentedAt(text, all[index]?.index ?? 0) && !(origin && isDocumented(text, origin));
    })
    .map(([, , name = '']) => name);
}

/** Returns true if the first declaration of a value, exported or not, has a docstring. */
function isDocumented(text: string, name: string): boolean {
  const match = new RegExp(`^(?:export )?(?:async )?(?:function\\*?|class|const) ${name}\\b`, 'm').exec(text);
  return match !== null && isDocumentedAt(text, match.index);
}

function isDocumentedAt(text: string, index: number): boolean {
  return text.slice(0, index).endsWith('*/\n');
}
