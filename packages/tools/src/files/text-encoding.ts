import { TextDecoder } from 'node:util';
import { analyse } from 'chardet';
import iconv from 'iconv-lite';

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
export function decodeText(bytes: Buffer): DecodedText | undefined {
  if (!bytes.includes(0)) {
    try {
      return splitMark(strict.decode(bytes), utf8);
    } catch {
      return isBinary(bytes) ? undefined : firstExact(bytes, guesses(bytes));
    }
  }
  const wide = firstExact(bytes, wideGuesses(bytes));
  return wide !== undefined && controls.test(wide.text) ? undefined : wide;
}

/** Encodes a text. Returns undefined when its encoding lacks one of the characters. */
export function encodeText({ text, encoding, hasMark }: DecodedText): Buffer | undefined {
  const all = hasMark ? mark + text : text;
  if (encoding === utf8) return Buffer.from(all);
  const bytes = iconv.encode(all, encoding);
  return decode(bytes, encoding) === all ? bytes : undefined;
}

function splitMark(all: string, encoding: string): DecodedText {
  const hasMark = all.startsWith(mark);
  return { text: hasMark ? all.slice(1) : all, encoding, hasMark };
}

function firstExact(bytes: Buffer, encodings: readonly string[]): DecodedText | undefined {
  for (const encoding of encodings) {
    const all = decode(bytes, encoding);
    if (!all.includes('\uFFFD') && !all.includes('\0') && iconv.encode(all, encoding).equals(bytes))
      return splitMark(all, encoding);
  }
  return undefined;
}

function decode(bytes: Buffer, encoding: string): string {
  return iconv.decode(bytes, encoding, { stripBOM: false });
}

/** Returns candidate encodings, the most probable first; the last one accepts every byte. */
function guesses(bytes: Buffer): readonly string[] {
  const found = analyse(bytes.subarray(0, sampleBytes)).map(({ name }) => name.toLowerCase());
  return [...found.filter((name) => !/^utf|^ascii/.test(name) && iconv.encodingExists(name)), 'iso-8859-1'];
}

/** Returns UTF-16 in the byte order found: in most UTF-16 texts every other byte is zero. */
function wideGuesses(bytes: Buffer): readonly string[] {
  if (bytes.length % 2 === 1) return [];
  const sample = bytes.subarray(0, sampleBytes);
  const zeros = [0, 0];
  for (const [at, byte] of sample.entries()) if (byte === 0) zeros[at % 2] = (zeros[at % 2] ?? 0) + 1;
  const [even = 0, odd = 0] = zeros;
  const isMarked = (one: number, other: number): boolean => bytes[0] === one && bytes[1] === other;
  if (isMarked(0xff, 0xfe) || (odd > sample.length / 5 && even === 0)) return ['utf-16le'];
  return isMarked(0xfe, 0xff) || (even > sample.length / 5 && odd === 0) ? ['utf-16be'] : [];
}

/** Returns true for bytes with control characters that text does not have, or with the header of a PDF. */
function isBinary(bytes: Buffer): boolean {
  if (bytes.toString('latin1', 0, 5) === '%PDF-') return true;
  return bytes.some((byte) => byte < 0x09 || (byte > 0x0d && byte < 0x20 && byte !== 0x1b));
}
