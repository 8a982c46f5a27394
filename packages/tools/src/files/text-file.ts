import { createHash } from 'node:crypto';
import { readFile } from 'node:fs/promises';
import { refuse, refuseFailure, type Refusal } from './refusal.ts';
import type { Target } from './target.ts';
import { decodeText, encodeText, type DecodedText } from './text-encoding.ts';

/** A text file as it is on disk. */
export interface TextFile extends DecodedText {
  /** Exactly the bytes on disk. */
  readonly bytes: Buffer;
  /** The line end that most lines have. */
  readonly lineEnd: '\n' | '\r\n';
}

/** Reads a text file, or says why the editor cannot work on it. */
export async function readTextFile({ path, real, stats }: Target, maxBytes: number): Promise<TextFile | Refusal> {
  const size = stats?.size ?? 0;
  if (size > maxBytes) {
    return refuse(
      `The file ${path} is too large for this tool: ${megabytes(size)} MB, and the limit is ${megabytes(maxBytes)} MB. A view of some lines, with view_range, is possible.`,
    );
  }
  let bytes: Buffer;
  try {
    bytes = await readFile(real);
  } catch (error) {
    return refuseFailure('Reading', path, error);
  }
  const decoded = decodeText(bytes);
  if (decoded === undefined) return refuse(`The file ${path} is binary; this tool can neither show nor edit it.`);
  return { ...decoded, bytes, lineEnd: commonLineEnd(decoded.text) };
}

/**
 * The bytes of `text` in the file it came from: in its encoding if that has all of the characters, else in UTF-8. Refused where
 * the file is UTF-8 but for a few bytes, because then the encoding was guessed wrong, and what is added would spoil the rest.
 */
export function encodeLike(
  text: string,
  { bytes: before, encoding, hasMark }: TextFile,
): { readonly bytes: Buffer; readonly note?: string } | Refusal {
  if (encoding !== 'utf-8' && isMostlyUtf8(before))
    return refuse('The file is UTF-8 but for some bytes that are not, and cannot be edited until those are mended.');
  const bytes = encodeText({ text, encoding, hasMark });
  if (bytes !== undefined) return { bytes };
  const note = `The encoding ${encoding} has no form for some of the characters, so the file is now UTF-8.`;
  return { bytes: Buffer.from(text), note };
}

/** Other encodings rarely look like the longer characters of UTF-8. */
function isMostlyUtf8(bytes: Buffer): boolean {
  const long = bytes.toString('utf8').match(/[\u0080-\u{10FFFF}]/gu) ?? [];
  const broken = long.filter((character) => character === '\uFFFD').length;
  return long.length > 3 * broken;
}

/** The fingerprint by which a changed file is noticed. */
export function digest(bytes: Buffer): string {
  return createHash('sha256').update(bytes).digest('hex');
}

function commonLineEnd(text: string): '\n' | '\r\n' {
  if (!text.includes('\r\n')) return '\n';
  let both = 0;
  let alone = 0;
  for (let at = text.indexOf('\n'); at >= 0; at = text.indexOf('\n', at + 1)) {
    if (text[at - 1] === '\r') both += 1;
    else alone += 1;
  }
  return both > alone ? '\r\n' : '\n';
}

function megabytes(bytes: number): string {
  return (bytes / 1024 / 1024).toFixed(1);
}
