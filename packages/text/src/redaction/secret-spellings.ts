import { base64Part, base64Whole } from './base64.ts';
import {
  htmlForms,
  jsonForms,
  jsonTexts,
  percentForms,
  percentTwiceForms,
  plainForms,
  withLineEnds,
  type Escape,
} from './escapes.ts';
import { byteGap, foldGap, softGap } from './gap.ts';
import { literalForms, printableForms, quoteForms } from './literals.ts';
import type { Forms, Spelling } from './spelling.ts';

/** Shorter secrets would be found in too many words. */
const shortest = 4;
/** Hex, and parts of base64, of shorter secrets would be found in other words. */
const shortestEncoded = 8;
/** Shorter lines of a secret may be ordinary words. */
const shortestLine = 16;

/** JSON in JSON: the arguments of a call are a text in an event, which a dump or a bundle holds as a text again. */
const jsons = [1, 2, 3, 4].map(jsonForms);
/** Includes the plain text and all levels for a text whose characters need no escape. */
const deepestJson = jsons.slice(-1);
const needsEscape = /["\\\p{Cc}]/u;

/** Shorter secrets are not folded. */
const shortestFolded = 24;

/**
 * Returns the spellings in which a secret is looked for: as it is, with other line ends, in JSON of up to four levels,
 * in literals of shells and programming languages, percent-encoded once or twice or with HTML escapes (of itself or in
 * JSON), in quoted-printable, as numbers, in hex with or without separators, and in base64 (of itself or in JSON) that
 * starts at any byte, in either alphabet and in lines.
 *
 * The white space around a secret is optional. Lines of 16 characters or more are also looked for one by one, but not
 * in hex and base64. Secrets of 24 characters or more without blanks may be folded. A secret of fewer than 8 characters
 * is not looked for in hex, and in base64 only as a whole; one of fewer than 4 not at all.
 */
export function secretSpellings(secret: string): readonly Spelling[] {
  if (secret.length < shortest) return [];
  const trimmed = secret.trim();
  const core = trimmed.length < shortest ? secret : trimmed;
  const lines = core.split(/\r\n?|\n/).filter((line) => line.length >= shortestLine);
  const spellings = [...new Set([secret, core, ...lines])].flatMap(textSpellings);
  return distinct([
    ...spellings,
    ...[core, ...lines].flatMap(foldedSpellings),
    ...numberSpellings(core),
    ...byteSpellings(core),
  ]);
}

function textSpellings(text: string): readonly Spelling[] {
  const nested = needsEscape.test(text) ? [plainForms, ...jsons] : deepestJson;
  const once = [...nested, ...literals].map((formsOf) => spellingIn(text, formsOf));
  const inJson = needsEscape.test(text) ? [JSON.stringify(text).slice(1, -1)] : [];
  return [...once, ...[text, ...inJson].flatMap((one) => urlAndHtml.map((formsOf) => spellingIn(one, formsOf)))];
}

const urlAndHtml = [percentForms, percentTwiceForms, htmlForms];

/** A text in quotes of a shell, YAML, SQL or CSV, and in literals with backslashes. */
const literals = [
  quoteForms("'", [`'\\''`, `'"'"'`]),
  quoteForms("'", ["''"]),
  quoteForms('"', ['""']),
  literalForms,
].map(withLineEnds);

const inPrintable = withLineEnds(printableForms);

function foldedSpellings(text: string): readonly Spelling[] {
  const characters = Array.from(new TextEncoder().encode(text), (byte) => String.fromCharCode(byte));
  const bytes = characters.join('').match(/\r\n|[^]/g) ?? [];
  if (text.length < shortestFolded) return [{ parts: joined(bytes.map(inPrintable)) }];
  const printable: Spelling = { parts: bytes.map(inPrintable), gap: softGap, mark: '=' };
  return /\s/.test(text)
    ? [printable]
    : [{ parts: Array.from(text, (one) => [one]), gap: foldGap, mark: '\n' }, printable];
}

function spellingIn(text: string, formsOf: Escape): Spelling {
  return { parts: joined((text.match(/\r\n|[^]/gu) ?? []).map(formsOf)) };
}

function byteSpellings(text: string): readonly Spelling[] {
  if (text.length < shortestEncoded) return [base64Whole(new TextEncoder().encode(text))];
  const lineFeeds = text.replaceAll(/\r\n?/g, '\n');
  const texts = [text, lineFeeds, lineFeeds.replaceAll('\n', '\r\n'), ...jsonTexts(text)];
  return [...new Set(texts)].flatMap(spellingsOfBytes);
}

function spellingsOfBytes(text: string): readonly Spelling[] {
  const bytes = new TextEncoder().encode(text);
  const hex: Spelling = { parts: Array.from(bytes, hexForms), gap: byteGap };
  return [hex, ...[0, 1, 2].map((offset) => base64Part(bytes, offset))];
}

/** Returns the spellings of a text with a number for each character, or for each byte. */
function numberSpellings(text: string): readonly Spelling[] {
  if (text.length < shortestEncoded) return [];
  const characters = Array.from(text, (character) => character.codePointAt(0) ?? 0);
  const bytes = new TextEncoder().encode(text);
  const inHtml = /^[ -~]*$/.test(text) ? [] : [escapedHex('&#x', ';', characters)];
  return [
    [`&#${characters.join(';&#')};`],
    ...[',', ', ', ' '].map((separator) => [bytes.join(separator)]),
    escapedHex('\\u', '', unitsOf(text)),
    ...inHtml,
  ].map((forms) => ({ parts: [forms] }));
}

/** Returns numbers as escapes in hex, in either case. Those of ASCII are bytes in hex. */
function escapedHex(before: string, after: string, numbers: readonly number[]): Forms {
  const length = before === '\\u' ? 4 : 1;
  const all = numbers.map((number) => number.toString(16).padStart(length, '0'));
  return [all, all.map((digits) => digits.toUpperCase())].map((digits) =>
    digits.map((one) => before + one + after).join(''),
  );
}

function unitsOf(text: string): readonly number[] {
  return Array.from({ length: text.length }, (_, at) => text.charCodeAt(at));
}

/** Returns the digits of a byte in each case. */
function hexForms(byte: number): Forms {
  const digits = byte.toString(16).padStart(2, '0');
  return [...new Set([digits, digits.toUpperCase()])];
}

/** Makes one part of those that follow each other in one form. */
function joined(parts: readonly Forms[]): readonly Forms[] {
  const result: Forms[] = [];
  let fixed = '';
  for (const forms of parts) {
    if (forms.length === 1) fixed += forms[0] ?? '';
    else {
      if (fixed !== '') result.push([fixed]);
      fixed = '';
      result.push(forms);
    }
  }
  return fixed === '' ? result : [...result, [fixed]];
}

function distinct(spellings: readonly Spelling[]): readonly Spelling[] {
  return [...new Map(spellings.map((spelling) => [JSON.stringify(spelling), spelling])).values()];
}
