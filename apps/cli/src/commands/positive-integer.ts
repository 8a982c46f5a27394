import { InvalidArgumentError } from 'commander';

/** Parses an integer of at least 1. */
export function positiveInteger(value: string): number {
  const number = Number(value);
  if (!Number.isInteger(number) || number < 1) throw new InvalidArgumentError('It must be an integer of at least 1.');
  return number;
}
