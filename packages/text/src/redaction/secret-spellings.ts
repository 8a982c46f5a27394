import { base64Part, base64Whole } from './base64.ts';
import { htmlForms, jsonForms, percentForms, percentTwiceForms, plainForms } from './escapes.ts';
import { byteGap } from './gap.ts';
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

/**
 * Returns the spellings in which a secret is looked for: as it is, with other line ends, in JSON of up to four levels,
 * percent-encoded once or twice, with HTML escapes, in hex with or without separators, and in base64 that starts
 * at any byte, in either alphabet and in lines.
 *
 * The white space around a secret is optional. Lines of 16 characters or more are also looked for one by one, but not
 * in hex and base64. A secret of fewer than 8 characters is not looked for in hex, and in base64 only as a whole; one
 * of fewer than 4 not at all.
 */
export function secretSpellings(secret: string): readonly Spelling[] {
  if (secret.length < shortest) return [];
  const trimmed = secret.trim();
  const core = trimmed.length < shortest ? secret : trimmed;
  const lines = core.split(/\r\n?|\n/).filter((line) => line.length >= shortestLine);
  const spellings = [...new Set([secret, core, ...lines])].flatMap(textSpellings);
  return distinct([...spellings, ...byteSpellings(core)]);
}

function textSpellings(text: string): readonly Spelling[] {
  const characters = text.match(/\r\n|[^]/gu) ?? [];
  const nested = needsEscape.test(text) ? [plainForms, ...jsons] : deepestJson;
  return [...nested, percentForms, percentTwiceForms, htmlForms].map((formsOf) => ({
    parts: joined(characters.map(formsOf)),
  }));
}

function byteSpellings(text: string): readonly Spelling[] {
  const bytes = new TextEncoder().encode(text);
  if (text.length < shortestEncoded) return [base64Whole(bytes)];
  const hex: Spelling = { parts: Array.from(bytes, hexForms), gap: byteGap };
  return [hex, ...[0, 1, 2].map((offset) => base64Part(bytes, offset))];
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
