import { parse, type SyntaxNode } from 'unbash';

/** Ends of the expansions that have one, by their starts. */
const ends: readonly (readonly [start: string, end: string])[] = [
  ['$((', '))'],
  ['$[', ']'],
  ['$(', ')'],
  ['<(', ')'],
  ['>(', ')'],
  ['${', '}'],
  ['`', '`'],
  ["$'", "'"],
  ['$"', '"'],
];

/**
 * Reports whether an expansion was cut: the parser ends the pattern of `${x/$(/bin/ls)/}` at the slash inside of the
 * substitution, and takes the rest for text.
 */
export function isCutOff(node: SyntaxNode): boolean {
  if (node.type === 'Replace') {
    const { pattern, replacement } = node;
    return /\$\(|`|[<>]\(/.test(pattern.text) && /[)`]/.test(replacement.text);
  }
  if (!('text' in node) || typeof node.text !== 'string' || !/Expansion|Substitution/.test(node.type)) return false;
  const { text } = node;
  const known = ends.find(([start]) => text.startsWith(start));
  if (!known) return false;
  const [start, end] = known;
  const inner = text.slice(start.length, -end.length);
  if (text.length < start.length + end.length || !text.endsWith(end)) return true;
  // The end may be that of another expansion: the text alone is then incomplete.
  return inner.includes(end) && Boolean(parse(`: ${text}`).errors?.length);
}
