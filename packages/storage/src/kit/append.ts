import { StorageError } from '../contract/error.ts';
import type { AppendOptions, NewEvent } from '../contract/log.ts';
import type { Stored } from '../contract/log-reader.ts';
import type { Signer, Statement } from '../contract/statement.ts';
import { firstSeal, isSha256Hex } from '../proof/hash-chain.ts';
import { parseStatement } from '../proof/parse-statement.ts';
import { sealEvents } from '../proof/seal-events.ts';
import { signCheckpoint } from '../proof/signatures.ts';
import { checkBound } from './checks.ts';
import { jsonText } from './json.ts';

// An append has three steps that are the same in every store: `checkAppend` when it is called, `planAppend` when its
// turn has come and the head is known, `sealAppend` with the last seal. What is left to the store is writing.

/** Checked copies of the arguments of `EventLog.append`. */
export interface CheckedAppend {
  readonly events: readonly NewEvent[];
  readonly expectedHead: number | undefined;
  /** JSON of the new `meta`; absent to keep the old one. */
  readonly metaText: string | undefined;
  readonly signer: Signer | undefined;
  readonly statements: readonly Statement[];
}

/** State of the log that an append is planned for. */
export interface AppendContext {
  /** The conversation's id, for messages. */
  readonly id: string;
  readonly head: number;
  readonly expectedHead: number | undefined;
  /** Returns the stored event with this id. */
  find(id: string): Pick<Stored, 'seq' | 'text'> | undefined;
}

/** An event to store, with its position. */
export interface PlannedEvent extends NewEvent {
  readonly seq: number;
}

/** Result of `planAppend`. */
export interface AppendPlan {
  /** One seq per event of the append, in order: the return value of `EventLog.append`. */
  readonly seqs: readonly number[];
  /** The events to store, in order, without those that are stored already. */
  readonly fresh: readonly PlannedEvent[];
}

/** End of the log that an append is sealed for. */
export interface SealContext {
  /** The conversation's id. */
  readonly id: string;
  readonly head: number;
  /** Seal of the last event; absent in an empty log. */
  readonly seal: string | undefined;
  /** UTC milliseconds. */
  readonly at: number;
}

/** An event to store, with its position and seal. */
export interface SealedNewEvent extends PlannedEvent {
  readonly seal: string;
}

/** Result of `sealAppend`. */
export interface SealedAppend {
  /** The events to store, in order. */
  readonly events: readonly SealedNewEvent[];
  /** The statements to store, in order: new checkpoints, then copied statements. */
  readonly statements: readonly Statement[];
  /** Seal of the last event after the append; for an empty log, the seal that event 0 will follow. */
  readonly last: string;
}

/**
 * Checks and copies the arguments of an append, so that the caller may change its own objects afterwards. Rejects texts
 * that some store could not return exactly: half surrogate pairs have no UTF-8, and a NUL ends a text in older SQLite
 * bindings. JSON escapes both, so no JSON is rejected.
 *
 * @throws {StorageError} `invalid`.
 */
export function checkAppend(events: readonly NewEvent[], options: AppendOptions = {}): CheckedAppend {
  const { expectedHead, meta, signer, statements = [] } = options;
  if (expectedHead !== undefined) checkBound('expected head', expectedHead);
  const metaText = meta === undefined ? undefined : jsonText('meta', meta);
  return { events: events.map(checkEvent), expectedHead, metaText, signer, statements: statements.map(checkStatement) };
}

/**
 * Decides which events an append stores, before anything is stored. Pure: it may be repeated.
 *
 * @throws {StorageError} `duplicate`, `conflict`.
 */
export function planAppend(events: readonly NewEvent[], context: AppendContext): AppendPlan {
  const { id, head, expectedHead } = context;
  const seen = new Set<string>();
  const fresh: PlannedEvent[] = [];
  const seqs: number[] = [];
  for (const event of events) {
    const stored = context.find(event.id);
    if (seen.has(event.id)) throw new StorageError('duplicate', `Event ${event.id} is twice in one append to ${id}.`);
    if (stored && stored.text !== event.text) {
      throw new StorageError('duplicate', `Event ${event.id} is in conversation ${id} already, with another text.`);
    }
    seen.add(event.id);
    const seq = stored?.seq ?? head + fresh.length;
    if (!stored) fresh.push({ seq, ...event });
    seqs.push(seq);
  }
  const known = events.length - fresh.length;
  const isResend = known > 0 && fresh.length === 0;
  if (expectedHead !== undefined && expectedHead !== head - known && !isResend) {
    throw new StorageError('conflict', `Conversation ${id} has ${head} events, not the ${expectedHead} expected.`);
  }
  return { seqs, fresh };
}

/** Seals the planned events and signs what the append asks to sign. The seal of an event depends on all before it. */
export function sealAppend({ fresh }: AppendPlan, append: CheckedAppend, context: SealContext): SealedAppend {
  const { id: conversation, head, at } = context;
  const { signer } = append;
  const previous = context.seal ?? firstSeal(conversation);
  const { seals, checkpoints, last } = sealEvents(fresh, { conversation, previous, signer, at });
  const events = fresh.map((event, index) => ({ ...event, seal: seals[index]?.seal ?? last }));
  const isCheckpoint = signer && append.events.length === 0 && head > 0;
  const signed = isCheckpoint
    ? [signCheckpoint({ conversation, seq: head - 1, seal: previous, at }, signer)]
    : checkpoints;
  return { events, statements: [...signed, ...append.statements], last };
}

function checkEvent({ id, kind, parentId, text, digest }: NewEvent): NewEvent {
  if (id === '') throw new StorageError('invalid', 'The id of an event is empty.');
  for (const [field, value] of Object.entries({ id, kind, parentId: parentId ?? '', text })) {
    if (isStorable(value)) continue;
    throw new StorageError('invalid', `The ${field} of event ${JSON.stringify(id)} is not text that can be stored.`);
  }
  if (digest !== undefined && !isSha256Hex(digest)) {
    throw new StorageError('invalid', `The digest of event ${JSON.stringify(id)} is not a SHA-256 in hexadecimal.`);
  }
  return { id, kind, parentId, text, ...(digest !== undefined && { digest }) };
}

/** Returns true for a text that every store can return exactly: without half surrogate pairs and NUL. */
export function isStorable(value: unknown): boolean {
  return typeof value === 'string' && value.isWellFormed() && !value.includes('\0');
}

function checkStatement(statement: Statement): Statement {
  const parsed = parseStatement(statement);
  if (!parsed) throw new StorageError('invalid', 'A statement of the append is malformed.');
  return parsed;
}
