import { formatNumbers, refuse, refuseParameter, type Refusal } from '../files/refusal.ts';
import { findText } from '../files/find-sequence.ts';
import type { TextFile } from '../files/text-file.ts';
import { lookAlike } from '../files/typography.ts';
import { unixText } from '../files/unix-text.ts';
import { withoutBlanks } from './without-blanks.ts';

const maxPlaces = 1000;

/** Text that is edited, and its line end. */
export type EditedText = Pick<TextFile, 'text' | 'lineEnd'>;

/** Changed text, with the first and last changed line, counted from 1. */
export interface Changed {
  readonly text: string;
  readonly first: number;
  readonly last: number;
  /** Additional remark for the model. */
  readonly note?: string;
}

/** Text to replace and its replacement. */
export interface Replacement {
  readonly path: string;
  readonly old: string;
  readonly new: string;
}

/**
 * Replaces the only occurrence of a text. The search ignores differences in line ends; line ends outside of the
 * occurrence stay unchanged, new ones are those of the file. If the text is not found, it is searched without
 * surrounding blanks, see {@link withoutBlanks}.
 */
export function replaceText({ text, lineEnd }: EditedText, replacement: Replacement): Changed | Refusal {
  const { path } = replacement;
  if (replacement.old === replacement.new)
    return refuse('Invalid `new_str` parameter: it is the same as `old_str`, so nothing would change.');
  const { text: plain, original } = unixText(text);
  const wanted = unixText(replacement.old).text;
  if (wanted === '' && plain !== '') {
    return refuseParameter(
      'old_str',
      wanted,
      'An empty text occurs everywhere; pass the text to replace, or use insert.',
    );
  }
  const added = unixText(replacement.new).text;
  const whole = occurrences(plain, wanted);
  const trimmed = whole.length > 0 ? undefined : withoutBlanks(plain, wanted, added);
  const places = trimmed?.found ?? whole;
  const [at] = places;
  if (at === undefined) return refuseMissing(path, plain, wanted);
  if (places.length > 1) {
    const lines = formatNumbers([...new Set(linesAt(plain, places))]);
    return refuse(
      `No replacement was made: multiple occurrences of \`old_str\` in ${path}, in lines [${lines}]. Add lines around it until it is unique.`,
    );
  }
  const { old = wanted, new: put = added } = trimmed ?? {};
  const start = original(at);
  const end = original(at + old.length);
  const [first = 1] = linesAt(plain, [at]);
  return {
    text: text.slice(0, start) + put.replaceAll('\n', lineEnd) + text.slice(end),
    first,
    last: first + put.split('\n').length - 1,
    ...(trimmed && { note: 'The text was found only without the blanks around `old_str`; those of the file stay.' }),
  };
}

function refuseMissing(path: string, plain: string, wanted: string): Refusal {
  const difference = lookAlike(plain, wanted, '`old_str`');
  const why = difference === undefined ? 'View the file for its exact text.' : `The text differs: ${difference}.`;
  return refuse(`No replacement was made: \`old_str\` did not appear verbatim in ${path}. ${why}`);
}

/** Returns the offsets at which `wanted` occurs, overlapping ones included; at most 1 000. */
function occurrences(text: string, wanted: string): readonly number[] {
  if (wanted === '') return text === '' ? [0] : [];
  return findText(text, wanted, { limit: maxPlaces });
}

/** Returns the line numbers, counted from 1, of ascending offsets. */
function linesAt(text: string, offsets: readonly number[]): readonly number[] {
  let line = 1;
  let next = text.indexOf('\n');
  return offsets.map((offset) => {
    for (; next >= 0 && next < offset; next = text.indexOf('\n', next + 1)) line += 1;
    return line;
  });
}
