import { parse } from 'sugar-high/core';
import { lang, languages } from 'sugar-high/lang';
import type { Style } from './output.ts';

/** Part of a row of code with one style. */
export interface CodePart {
  readonly text: string;
  readonly style?: Style | undefined;
}

/** Styles by the type of a token; numbers and types are classes. */
const styles: Readonly<Partial<Record<string, Style>>> = {
  keyword: 'cyan',
  string: 'green',
  class: 'yellow',
  entity: 'yellow',
  property: 'yellow',
  comment: 'dim',
};

/** Longest code that is parsed, in UTF-16 units. */
const maxChars = 100_000;

/** Returns the rows of code in parts with styles; without styles for a language that is not known, or for none. */
export function codeRows(code: string, language: string | undefined): readonly (readonly CodePart[])[] {
  const rows = code.split('\n');
  const name = lang(language ?? '');
  if (name === undefined || code.length > maxChars) return rows.map((text) => [{ text }]);
  if (name === 'diff') return rows.map((text) => [{ text, style: diffStyle(text) }]);
  const { lines } = parse(code, languages.find(({ id }) => id === name)?.config);
  return rows.map((row, index) => {
    const parts = lines[index]?.tokens.map(({ type, value }) => ({ text: value, style: styles[type] })) ?? [];
    // No character is lost, whatever the parser makes of it.
    return parts.map(({ text }) => text).join('') === row ? parts : [{ text: row }];
  });
}

function diffStyle(row: string): Style | undefined {
  if (row.startsWith('+')) return 'green';
  return row.startsWith('-') ? 'red' : undefined;
}
