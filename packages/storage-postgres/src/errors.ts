import { StorageError, type StorageErrorCode } from '@varve/storage';

/** A failure that the database reported, with its SQLSTATE, or one of the connection, without. */
export class DatabaseFailure extends Error {
  override readonly name = 'DatabaseFailure';
  /** Five characters; absent if the connection failed. */
  readonly state: string | undefined;

  constructor(message: string, state: string | undefined) {
    super(message);
    this.state = state;
  }
}

/** Converts an error of `pg`, which may contain rows and addresses, to its message and SQLSTATE. */
export function toFailure(error: unknown): unknown {
  if (error instanceof StorageError || error instanceof DatabaseFailure) return error;
  const { code, message } = error instanceof Error ? (error as Error & { readonly code?: unknown }) : {};
  const name = typeof code === 'string' ? code : 'unknown error';
  // No SQLSTATE begins with E, and the `EPIPE` of a socket has five characters too.
  const state = /^[0-9A-DF-Z][0-9A-Z]{4}$/.test(name) ? name : undefined;
  // An `AggregateError` of several addresses has an empty message.
  return new DatabaseFailure(message || name, state);
}

/** Returns true if the same work may succeed when it is repeated: another transaction was in the way. */
export function isConflict(error: unknown): boolean {
  return error instanceof DatabaseFailure && (error.state === '40001' || error.state === '40P01');
}

/** Returns true if the server could not be reached, or ended the connection because it stops. */
export function isOutage(error: unknown): boolean {
  if (!(error instanceof DatabaseFailure)) return false;
  const { state } = error;
  return state === undefined || state.startsWith('08') || ['57P01', '57P02', '57P03', '53300'].includes(state);
}

/**
 * Returns true if nothing was stored because there is no space; there may be some later. A connection that begins
 * without space reports an internal error.
 */
export function isFull(error: unknown): boolean {
  return error instanceof DatabaseFailure && (error.state === '53100' || error.state === 'XX000');
}

/** Returns true for a row that exists already. */
export function isDuplicate(error: unknown): boolean {
  return error instanceof DatabaseFailure && error.state === '23505';
}

type MappedError = readonly [code: StorageErrorCode, message: (label: string, reason: string) => string];

const unreachable = (label: string, reason: string): string => `${label} cannot be reached: ${reason}.`;
const unprepared = (label: string): string => `${label} is reached through a pooler that keeps no prepared statements.`;
const refused = (label: string, reason: string): string => `${label} refused: ${reason}.`;

/** By SQLSTATE, or its first two characters. @see https://www.postgresql.org/docs/current/errcodes-appendix.html */
const errorsByState: Readonly<Record<string, MappedError>> = {
  '08': ['io', unreachable],
  '22021': ['invalid', (label) => `A text cannot be stored in ${label}.`],
  '25006': ['io', (label) => `${label} is read-only, as a standby is.`],
  '25': ['io', refused],
  // A statement of a connection that several processes have, by turns.
  '26000': ['io', unprepared],
  '28': ['io', refused],
  '3D': ['io', refused],
  '3F': ['io', refused],
  '40': ['io', refused],
  '42501': ['io', refused],
  '42704': ['invalid', refused],
  '42P05': ['io', unprepared],
  '42P01': ['io', refused],
  '53100': ['full', (label) => `There is no space left for ${label}.`],
  '53': ['io', refused],
  '54': ['invalid', (label, reason) => `A text is too large for ${label}: ${reason}.`],
  '55': ['io', refused],
  '57': ['io', refused],
  '58': ['io', refused],
  XX000: ['io', refused],
  XX: ['corrupt', (label, reason) => `${label} is damaged: ${reason}.`],
};

/** Converts a failure of the database to a `StorageError`. Returns any other error unchanged: it is a bug. */
export function toStorageError(error: unknown, label: string): unknown {
  if (!(error instanceof DatabaseFailure)) return error;
  const { state, message } = error;
  const reason = message.replace(/\.$/, '');
  const mapped = state === undefined ? (['io', unreachable] as const) : mappedOf(state);
  return mapped ? new StorageError(mapped[0], mapped[1](label, reason), { cause: error }) : error;
}

function mappedOf(state: string): MappedError | undefined {
  return errorsByState[state] ?? errorsByState[state.slice(0, 2)];
}
