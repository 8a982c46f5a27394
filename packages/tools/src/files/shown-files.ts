import { digestOf } from './text-file.ts';

/** `shownFiles` of a call. */
export type ShownFiles = Map<string, string>;

/**
 * Tests whether something else has changed a file since a call showed or wrote it: its lines may have other numbers.
 * False for a file of which nothing is known.
 */
export function isChangedSince(shown: string | undefined, bytes: Buffer): boolean {
  return shown !== undefined && shown !== digestOf(bytes);
}

/** Records what a call showed or wrote; without bytes, the file is gone. */
export function recordShown(files: ShownFiles | undefined, real: string, bytes: Buffer | undefined): void {
  if (bytes) files?.set(real, digestOf(bytes));
  else files?.delete(real);
}
