import { base64Parts, base64Texts, hexTexts, jsonTexts, jsonTextsOnce, percentTexts } from './encodings.ts';

/** Shorter secrets would be found in too many words. */
const shortest = 4;
/** Hex, and parts of base64, of shorter secrets would be found in other words. */
const shortestEncoded = 8;
/** Shorter lines of a secret may be ordinary words. */
const shortestLine = 16;

/**
 * Returns the spellings in which a secret is looked for: as it is, in JSON of one or two levels, percent-encoded, in
 * hex, and in base64 (of itself or in JSON) that starts at any byte; all with any line ends. {@link joinedLines} finds
 * those of hex and base64 in several lines.
 *
 * The white space around a secret is optional. Lines of 16 characters or more are also looked for one by one, but not
 * in hex and base64. A secret of fewer than 8 characters is not looked for in hex, and in base64 only as a whole; one
 * of fewer than 4 not at all.
 */
export function secretSpellings(secret: string): readonly string[] {
  if (secret.length < shortest) return [];
  const trimmed = secret.trim();
  const core = trimmed.length < shortest ? secret : trimmed;
  const lines = core.split(/\r\n?|\n/).filter((line) => line.length >= shortestLine);
  const whole = withLineEnds(core);
  const texts = distinct([...withLineEnds(secret), ...whole, ...lines]);
  return distinct([
    ...texts.flatMap((text) => [text, ...jsonTexts(text), ...percentTexts(text)]),
    ...whole.flatMap(byteSpellings),
  ]);
}

function withLineEnds(text: string): readonly string[] {
  return distinct([text, ...['\n', '\r\n', '\r'].map((end) => text.replaceAll(/\r\n?|\n/g, end))]);
}

function byteSpellings(text: string): readonly string[] {
  if (text.length < shortestEncoded) return base64Texts(text);
  return [...hexTexts(text), ...distinct([text, ...jsonTextsOnce(text)]).flatMap(base64Parts)];
}

function distinct(texts: readonly string[]): readonly string[] {
  return [...new Set(texts)];
}
