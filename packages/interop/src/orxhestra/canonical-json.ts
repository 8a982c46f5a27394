import { createHash } from 'node:crypto';
import { InteropError } from '../error.ts';

/**
 * Parses JSON with its whole numbers beyond 2^53 as `bigint`, because a signature covers all of their digits.
 *
 * @throws {SyntaxError} for other text.
 */
export function parseExactJson(text: string): unknown {
  return JSON.parse(text, (_key, value: unknown, context?: { readonly source?: string }) => {
    const source = context?.source ?? '';
    return typeof value === 'number' && !Number.isSafeInteger(value) && /^-?\d+$/.test(source) ? BigInt(source) : value;
  });
}

/** Returns the number of whole numbers in a JSON text that `JSON.parse` rounds. */
export function countRounded(text: string): number {
  if (!/\d{16}/.test(text)) return 0;
  let count = 0;
  JSON.stringify(parseExactJson(text), (_key, value: unknown) => {
    if (typeof value !== 'bigint') return value;
    count++;
    return 0;
  });
  return count;
}

/**
 * Returns the canonical JSON that orxhestra signs: texts and keys in Unicode form NFC, keys sorted by code point, and
 * numbers as Python prints them, but whole ones without a fraction.
 *
 * @throws {InteropError} `invalid` for numbers that are not finite and for lone surrogates.
 */
export function canonicalJson(value: unknown): string {
  if (typeof value === 'string') return canonicalText(value);
  if (typeof value === 'bigint') return String(value);
  if (typeof value === 'number') return canonicalNumber(value);
  if (Array.isArray(value)) return `[${value.map(canonicalJson).join(',')}]`;
  if (typeof value !== 'object' || value === null) return value === true || value === false ? String(value) : 'null';
  const entries = new Map<string, unknown>(Object.entries(value).map(([key, item]) => [key.normalize('NFC'), item]));
  // The order of UTF-8 bytes is the order of code points.
  const keys = [...entries.keys()].toSorted((a, b) => Buffer.compare(Buffer.from(a), Buffer.from(b)));
  return `{${keys.map((key) => `${canonicalText(key)}:${canonicalJson(entries.get(key))}`).join(',')}}`;
}

/** Returns the hex SHA-256 of a value's canonical JSON; empty for an empty value, as in the payload of a signature. */
export function hashOf(value: object): string {
  return Object.keys(value).length === 0 ? '' : sha256(canonicalJson(value));
}

/** Returns the hex SHA-256 of a text in UTF-8. */
export function sha256(text: string): string {
  return createHash('sha256').update(text).digest('hex');
}

function canonicalText(text: string): string {
  if (!text.isWellFormed()) throw new InteropError('invalid', 'A text with a lone surrogate cannot be signed.');
  return JSON.stringify(text.normalize('NFC'));
}

function canonicalNumber(value: number): string {
  if (!Number.isFinite(value)) throw new InteropError('invalid', `The number ${value} cannot be signed.`);
  if (Object.is(value, -0)) return '-0.0';
  if (Number.isInteger(value)) return String(BigInt(value));
  if (Math.abs(value) >= 1e-4) return String(value);
  // Python writes exponents of two digits, from 1e-05 on.
  return value.toExponential().replace(/e-(\d)$/, 'e-0$1');
}
