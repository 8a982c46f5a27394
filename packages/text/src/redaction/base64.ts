import { lineGap } from './gap.ts';
import type { Forms, Spelling } from './spelling.ts';

const alphabet = 'ABCDEFGHIJKLMNOPQRSTUVWXYZabcdefghijklmnopqrstuvwxyz0123456789';

/**
 * Letters of both alphabets, also as URLs, JSON and HTML escape them; the longest first, as they are read backwards,
 * too.
 */
const letters: readonly Forms[] = [
  ...alphabet.split('').map((letter) => [letter]),
  [String.raw`\u002B`, String.raw`\u002b`, '&#x2B;', '&#x2b;', '&#43;', '%2B', '%2b', '+', '-'],
  ['&#x2F;', '&#x2f;', '&#47;', '%2F', '%2f', String.raw`\/`, '/', '_'],
];

/**
 * Returns the base64 of bytes that follow others, their number modulo three given, with line breaks in it or not. Only
 * letters that no neighbour takes part in are needed; the last one and the padding belong to it where nothing follows.
 */
export function base64Part(bytes: Uint8Array, offset: number): Spelling {
  const first = Math.ceil((offset * 8) / 6);
  const whole = Math.floor(((offset + bytes.length) * 8) / 6);
  const parts = Array.from({ length: whole - first }, (_, at) => letterAt(bytes, offset, first + at));
  const end = endForms(bytes, offset);
  return { parts: end.length > 0 ? [...parts, [...end, '']] : parts, gap: lineGap };
}

/** Returns the base64 of these bytes alone. */
export function base64Whole(bytes: Uint8Array): Spelling {
  const { parts } = base64Part(bytes, 0);
  return { parts: parts.map((forms) => forms.filter((form) => form !== '')) };
}

function endForms(bytes: Uint8Array, offset: number): Forms {
  const surplus = (offset + bytes.length) % 3;
  if (surplus === 0) return [];
  const last = letterAt(bytes, offset, Math.floor(((offset + bytes.length) * 8) / 6));
  return last.flatMap((letter) => [letter + '='.repeat(3 - surplus), letter]);
}

/** Bits outside of the bytes are zero. */
function letterAt(bytes: Uint8Array, offset: number, index: number): Forms {
  const bit = index * 6 - offset * 8;
  const at = Math.floor(bit / 8);
  const pair = ((bytes[at] ?? 0) << 8) | (bytes[at + 1] ?? 0);
  return letters[(pair >> (10 - (bit - at * 8))) & 63] ?? [];
}
