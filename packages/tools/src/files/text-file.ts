import { createHash } from 'node:crypto';
import { readRegularFile } from './read-file.ts';
import { refuse, refuseFailure, type Refusal } from './refusal.ts';
import type { Target } from './target.ts';
import { decodeText, encodeText, type DecodedText } from './text-encoding.ts';

/** Text file with its exact bytes on disk. */
export interface TextFile extends DecodedText {
  readonly bytes: Buffer;
  /** Most frequent line end. */
  readonly lineEnd: '\n' | '\r\n';
}

/** Reads a text file, or returns the reason why it cannot be shown or edited. */
export async function readTextFile({ path, real, stats }: Target, maxBytes: number): Promise<TextFile | Refusal> {
  const size = stats?.size ?? 0;
  if (size > maxBytes) {
    return refuse(
      `The file ${path} is too large for this tool: ${megabytes(size)} MB, and the limit is ${megabytes(maxBytes)} MB. A view of some lines, with view_range, is possible.`,
    );
  }
  let bytes: Buffer;
  try {
    bytes = await readRegularFile(real, maxBytes);
  } catch (error) {
    return refuseFailure('Reading', path, error);
  }
  const decoded = await decodeText(bytes);
  if (decoded === undefined) return refuse(`The file ${path} is binary; this tool can neither show nor edit it.`);
  return { ...decoded, bytes, lineEnd: commonLineEnd(decoded.text) };
}

/**
 * Returns the bytes of `text` for the file it was read from: in the file's encoding if that has all of the characters,
 * else in UTF-8. Refused for a file that is UTF-8 except for a few bytes: its encoding was guessed wrong, and text in
 * that encoding would corrupt the file.
 */
export async function encodeLike(
  text: string,
  { bytes: before, encoding, hasMark }: TextFile,
): Promise<{ readonly bytes: Buffer; readonly note?: string } | Refusal> {
  if (encoding !== 'utf-8' && isMostlyUtf8(before))
    return refuse('The file is UTF-8 except for some invalid bytes, and cannot be edited until those are fixed.');
  const bytes = await encodeText({ text, encoding, hasMark });
  if (bytes !== undefined) return { bytes };
  const note = `The encoding ${encoding} has no form for some of the characters, so the file is now UTF-8.`;
  return { bytes: Buffer.from(text), note };
}

/** Text in other encodings rarely contains valid multi-byte sequences of UTF-8. */
function isMostlyUtf8(bytes: Buffer): boolean {
  const characters = bytes.toString('utf8').match(/[\u0080-\u{10FFFF}]/gu) ?? [];
  const broken = characters.filter((character) => character === '\uFFFD').length;
  return characters.length > 3 * broken;
}

/** Returns the SHA-256 of a file's bytes, used to detect changes by other programs. */
export function digestOf(bytes: Buffer): string {
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
