import { tags } from './tags.ts';

const needsLiteral = ['</function', '<function', '</parameter', '<parameter', tags.literalOpen];

/**
 * A value between the tags of a parameter: strings as they are, everything else as compact JSON. A value that holds one of
 * our tags stands in CDATA sections; one with line feeds, or with white space at an end, has a line feed on either side.
 */
export function writeValue(value: unknown): string {
  const written = typeof value === 'string' ? value : JSON.stringify(value);
  if (needsLiteral.some((tag) => written.includes(tag))) return literal(written);
  return /\n|^\s|\s$/.test(written) ? `\n${written}\n` : written;
}

function literal(written: string): string {
  const { literalOpen, literalClose } = tags;
  const inside = written.replaceAll(literalClose, `]]${literalClose}${literalOpen}>`);
  return `${literalOpen}${inside}${literalClose}`;
}
