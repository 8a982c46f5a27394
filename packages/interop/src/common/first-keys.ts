/**
 * Returns the names of the fields of the first object in the start of a JSON text: the object itself, the first of a
 * list, or the first line. The start may end anywhere; the fields up to there are returned.
 */
export function firstKeys(start: string): ReadonlySet<string> {
  const keys = new Set<string>();
  let at = /^\uFEFF?\s{0,1000}(?:\[\s{0,1000})?\{/.exec(start)?.[0].length ?? start.length;
  const token = /"(?:[^"\\]|\\.)*"(\s{0,100}:)?|[{}[\]]/g;
  for (let depth = 0; at < start.length && depth >= 0;) {
    token.lastIndex = at;
    const match = token.exec(start);
    if (!match) break;
    const [sign, colon] = match;
    if (depth === 0 && colon !== undefined) keys.add(sign.slice(1, sign.indexOf('"', 1)));
    if (sign === '{' || sign === '[') depth += 1;
    if (sign === '}' || sign === ']') depth -= 1;
    at = token.lastIndex;
  }
  return keys;
}
