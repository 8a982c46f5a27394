import { TextDecoder } from 'node:util';
import type * as OtherEncodings from './other-encodings.ts';

/** Text and the encoding of its bytes. */
export interface DecodedText {
  /** Text without a byte order mark. */
  readonly text: string;
  /** Name that chardet and iconv-lite share, for instance `utf-8` or `windows-1251`. */
  readonly encoding: string;
  readonly hasMark: boolean;
}

const mark = '\uFEFF';
const utf8 = 'utf-8';
const strict = new TextDecoder(utf8, { fatal: true, ignoreBOM: true });
const sampleBytes = 1024 * 1024;
/** Control characters that do not occur in text. */
const controls = new RegExp(String.raw`[\u0000-\u0008\u000E-\u001A\u001C-\u001F\uFFFE\uFFFF]`);

/**
 * Decodes text in UTF-8, UTF-16 or an older encoding, which is guessed. Returns undefined for binary content. A guess
 * is accepted only if encoding the text again returns exactly these bytes, regardless of its probability.
 */
export async function decodeText(bytes: Buffer): Promise<DecodedText | undefined> {
  if (!bytes.includes(0)) {
    try {
      return splitMark(strict.decode(bytes), utf8);
    } catch {
      if (isBinary(bytes)) return undefined;
      const encodings = await otherEncodings();
      return firstExact(bytes, encodings.guess(bytes.subarray(0, sampleBytes)), encodings);
    }
  }
  const wide = firstExact(bytes, wideGuesses(bytes), await otherEncodings());
  return wide !== undefined && controls.test(wide.text) ? undefined : wide;
}

/** Encodes a text. Returns undefined when its encoding lacks one of the characters. */
export async function encodeText({ text, encoding, hasMark }: DecodedText): Promise<Buffer | undefined> {
  const all = hasMark ? mark + text : text;
  if (encoding === utf8) return Buffer.from(all);
  const { encode, decode } = await otherEncodings();
  const bytes = encode(all, encoding);
  return decode(bytes, encoding) === all ? bytes : undefined;
}

/** Loads the encodings other than UTF-8, which are half a megabyte of tables. */
async function otherEncodings(): Promise<typeof OtherEncodings> {
  return import('./other-encodings.ts');
}

function splitMark(all: string, encoding: string): DecodedText {
  const hasMark = all.startsWith(mark);
  return { text: hasMark ? all.slice(1) : all, encoding, hasMark };
}

function firstExact(
  bytes: Buffer,
  encodings: readonly string[],
  { encode, decode }: Pick<typeof OtherEncodings, 'encode' | 'decode'>,
): DecodedText | undefined {
  for (const encoding of encodings) {
    const all = decode(bytes, encoding);
    if (!all.includes('\uFFFD') && !all.includes('\0') && encode(all, encoding).equals(bytes))
      return splitMark(all, encoding);
  }
  return undefined;
}

/** Returns UTF-16 in the byte order found: in most UTF-16 texts every other byte is zero. */
function wideGuesses(bytes: Buffer): readonly string[] {
  if (bytes.length % 2 === 1) return [];
  const sample = bytes.subarray(0, sampleBytes);
  const zeros = [0, 0];
  for (const [at, byte] of sample.entries()) if (byte === 0) zeros[at % 2] = (zeros[at % 2] ?? 0) + 1;
  const [even = 0, odd = 0] = zeros;
  const isMarked = (a: number, b: number): boolean => bytes[0] === a && bytes[1] === b;
  if (isMarked(0xff, 0xfe) || (odd > sample.length / 5 && even === 0)) return ['utf-16le'];
  return isMarked(0xfe, 0xff) || (even > sample.length / 5 && odd === 0) ? ['utf-16be'] : [];
}

/** Returns true for bytes with control characters that text does not have, or with the header of a PDF. */
function isBinary(bytes: Buffer): boolean {
  if (bytes.toString('latin1', 0, 5) === '%PDF-') return true;
  return bytes.some((byte) => byte < 0x09 || (byte > 0x0d && byte < 0x20 && byte !== 0x1b));
}
