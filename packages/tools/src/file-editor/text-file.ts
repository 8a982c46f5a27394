import { createHash } from 'node:crypto';
import { readFile } from 'node:fs/promises';
import { TextDecoder } from 'node:util';
import { refuse, refuseFailure, type Refused } from './refused.ts';
import type { Target } from './target.ts';

/** A text file as it is on disk. */
export interface TextFile {
  /** Exactly the bytes on disk. */
  readonly bytes: Buffer;
  /** Decoded, without a byte order mark; line ends as they are. */
  readonly text: string;
  readonly hasMark: boolean;
  /** The line end that most lines have. */
  readonly lineEnd: '\n' | '\r\n';
}

const mark = '\uFEFF';
const decoder = new TextDecoder('utf-8', { fatal: true, ignoreBOM: true });

/** Reads a text file, or says why the editor cannot work on it. */
export async function readTextFile({ path, real, stats }: Target, maxBytes: number): Promise<TextFile | Refused> {
  const size = stats?.size ?? 0;
  if (size > maxBytes) {
    return refuse(
      `The file ${path} is too large for this tool: ${megabytes(size)} MB, and the limit is ${megabytes(maxBytes)} MB.`,
    );
  }
  let bytes: Buffer;
  try {
    bytes = await readFile(real);
  } catch (error) {
    return refuseFailure('Reading', path, error);
  }
  return (
    decoded(bytes) ?? refuse(`The file ${path} is binary or not UTF-8 text; this tool can neither show nor edit it.`)
  );
}

/** The bytes of `text` in the file it came from. */
export function encoded(text: string, { hasMark }: Pick<TextFile, 'hasMark'>): Buffer {
  return Buffer.from(hasMark ? mark + text : text);
}

/** The fingerprint by which a changed file is noticed. */
export function digest(bytes: Buffer): string {
  return createHash('sha256').update(bytes).digest('hex');
}

function decoded(bytes: Buffer): TextFile | undefined {
  if (bytes.includes(0)) return undefined;
  try {
    const all = decoder.decode(bytes);
    const hasMark = all.startsWith(mark);
    const text = hasMark ? all.slice(1) : all;
    return { bytes, text, hasMark, lineEnd: commonLineEnd(text) };
  } catch {
    return undefined;
  }
}

function commonLineEnd(text: string): '\n' | '\r\n' {
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
