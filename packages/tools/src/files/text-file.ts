import { createHash } from 'node:crypto';
import { readRegularFile } from './read-file.ts';
import { isRefusal, refuse, refuseFailure, type Refusal } from './refusal.ts';
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
  const bytes = await readRegularFile(real, maxBytes).catch((error: unknown) => refuseFailure('Reading', path, error));
  return isRefusal(bytes) ? bytes : decodeFile(path, bytes);
}

/** Returns the text of a file's bytes, or the reason why it cannot be shown or edited. */
export async function decodeFile(path: string, bytes: Buffer): Promise<TextFile | Refusal> {
  const decoded = await decodeText(bytes);
  if (decoded === undefined) return refuse(`The file ${path} is binary; this tool can neither show nor edit it.`);
  return { ...decoded, bytes, lineEnd: commonLineEnd(decoded.text) };
}

/**
 * Returns the bytes of `text` in the encoding of the file it was read from. Refused if the encoding lacks one of the
 * characters, because it may be guessed wrong and every line would be rewritten; and for a file that is UTF-8 except
 * for a few bytes, which text in a guessed encoding would corrupt.
 */
export async function encodeLike(
  text: string,
  { bytes: before, text: old, encoding, hasMark }: TextFile,
): Promise<{ readonly bytes: Buffer; readonly note?: string } | Refusal> {
  if (encoding !== 'utf-8' && isMostlyUtf8(before))
    return refuse('The file is UTF-8 except for some invalid bytes, and cannot be edited until those are fixed.');
  const bytes = await encodeText({ text, encoding, hasMark });
  if (bytes === undefined)
    return refuse(
      `Nothing was changed: the file was read as ${encoding}, a guess, which has no form for some of the characters. Convert the file to UTF-8 with a program first, or use other characters.`,
    );
  if (encoding.startsWith('utf') || othersIn(text) === othersIn(old)) return { bytes };
  return { bytes, note: `The text was written as ${encoding}, which is guessed from the file.` };
}

/** Returns the characters of a text that are not ASCII. */
function othersIn(text: string): string {
  return text.replaceAll(/\p{ASCII}+/gu, '');
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
