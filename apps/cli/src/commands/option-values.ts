import { isPublicKey } from '@varve/storage';
import { InvalidArgumentError } from 'commander';

/** Parses an integer of at least 1. */
export function positiveInteger(value: string): number {
  const number = Number(value);
  if (!Number.isInteger(number) || number < 1) throw new InvalidArgumentError('It must be an integer of at least 1.');
  return number;
}

/** Parses a number above 0. */
export function positiveNumber(value: string): number {
  const number = Number(value);
  if (!Number.isFinite(number) || number <= 0) throw new InvalidArgumentError('It must be a number above 0.');
  return number;
}

/** Parses the number of an event. */
export function eventNumber(value: string): number {
  if (/^\d{1,15}$/.test(value)) return Number(value);
  throw new InvalidArgumentError('It must be the number of an event, at least 0.');
}

/** Collects the values of an option that may be repeated. */
export function collected(value: string, before: readonly string[] = []): readonly string[] {
  return [...before, value];
}

/** Collects the public keys of an option that may be repeated. */
export function publicKeys(value: string, values: readonly string[]): readonly string[] {
  if (!isPublicKey(value)) throw new InvalidArgumentError('It must be an Ed25519 public key: did:key:z6Mk….');
  return [...values, value];
}

const units = { d: 24 * 60 * 60 * 1000, h: 60 * 60 * 1000, m: 60 * 1000 } as const;

/** Parses an age, such as `30d`, into milliseconds. */
export function age(value: string): number {
  const [, count = '', unit = ''] = /^(\d{1,6})([dhm])$/.exec(value) ?? [];
  if (count === '') throw new InvalidArgumentError('It must be a number of days, hours or minutes: 30d, 12h, 90m.');
  return Number(count) * units[unit as keyof typeof units];
}
