import type { Json } from '@varve/events';
import { parseJson } from '@varve/text';
import { StorageError } from '../contract/error.ts';
import type { TextReplacement } from '../contract/log-proof.ts';
import type { LogReader, Stored } from '../contract/log-reader.ts';
import type { EventLog } from '../contract/log.ts';
import type { Signer, Statement, Tombstone } from '../contract/statement.ts';
import type { EventStore, Summary } from '../contract/store.ts';
import { allSummaries } from '../kit/listing.ts';
import { digestOf, tombstonesFor } from '../proof/hash-chain.ts';
import { proofCursor } from '../proof/proof-pages.ts';
import { hasValidSignature, signTombstone } from '../proof/signatures.ts';
import { checkComplete } from './check-complete.ts';
import { type FailedConversation, failedConversation } from './failed-conversation.ts';
import { maskSecrets } from './mask-secrets.ts';

/** Options of `scrub`. */
export interface ScrubOptions {
  /** At least six characters each. Found in every spelling that `redactor` of `@varve/text` knows. */
  readonly secrets: readonly string[];
  readonly signer: Signer;
  /** Reason for the tombstones; default `secret`. It is stored in the proof, so it must not contain a secret. */
  readonly reason?: string;
  /** UTC milliseconds; default `Date.now`. */
  readonly now?: () => number;
}

/** Result of `scrub`. */
export interface ScrubResult {
  /** Events whose text was replaced. */
  readonly scrubbed: readonly { readonly conversation: string; readonly seq: number }[];
  /** Ids of conversations that contain a secret and were not changed because they are held. */
  readonly held: readonly string[];
  /**
   * Conversations that may still contain a secret: those that could not be read or changed, or with a damaged text in
   * quarantine, or with a secret in an event's id, kind or parent id, or with one that is a whole number or property
   * name of the JSON. In a store without proof, every conversation with a secret.
   */
  readonly failed: readonly FailedConversation[];
  /** Number of texts masked in quarantine. The proof does not record them. */
  readonly quarantined: number;
}

/**
 * Masks secrets in all events and `meta` of every conversation of a store, including forks and copies, and in
 * quarantine, and removes the snapshots of these conversations. Leaves a signed tombstone for each replaced text; seals
 * and checkpoints are not changed and stay valid. A text that another key scrubbed before needs the tombstones of both:
 * the new one covers only what this call changed. Continues after a conversation that fails. May be repeated, for
 * instance after a crash. Does not reach bundles or other stores. The digest of the original text stays in the proof
 * and can be used to test guesses, so replace an exposed key in any case.
 *
 * @throws {StorageError} `invalid` for a secret that is too short; `closed`; `io` also if all texts were replaced while
 * another process still reads the old state: call it again to remove them. As `list` and
 * `EventStore.purgeReplacedText`.
 */
export async function scrub(store: EventStore, options: ScrubOptions): Promise<ScrubResult> {
  const mask = maskSecrets(options.secrets);
  const result: MutableResult = { scrubbed: [], held: [], failed: [], quarantined: 0 };
  for (const summary of await allSummaries(store)) {
    try {
      await scrubOne(store, summary, { ...options, mask, result });
    } catch (error) {
      result.failed.push(failedConversation(summary.id, error));
    }
  }
  // An earlier call may have left replaced texts that a reader still used.
  await store.purgeReplacedText?.();
  return result;
}

type Mask = (text: string) => string;

/** A result under construction. */
interface MutableResult extends ScrubResult {
  readonly scrubbed: { conversation: string; seq: number }[];
  readonly held: string[];
  readonly failed: FailedConversation[];
  quarantined: number;
}

interface Scrubbing extends ScrubOptions {
  readonly mask: Mask;
  readonly result: MutableResult;
}

async function scrubOne(store: EventStore, { id, meta }: Summary, { mask, result, ...options }: Scrubbing) {
  const newMeta: Json = JSON.parse(mask(JSON.stringify(meta)));
  const isMetaClean = JSON.stringify(newMeta) === JSON.stringify(meta);
  const stored = await store.read(id);
  const isClean = isMetaClean && !(await hasSecret(stored, mask));
  // Events that cannot be read may contain a secret. Those that can be read are scrubbed first.
  if (isClean) return checkReadable(stored);
  const log = await openUnlessHeld(store, id);
  if (!log) {
    result.held.push(id);
    return;
  }
  try {
    const replacements = await replacementsIn(log, mask, options);
    await log.proof?.replace(replacements);
    for (const { tombstone } of replacements) result.scrubbed.push({ conversation: id, seq: tombstone.seq });
    result.quarantined += (await log.proof?.maskQuarantine?.(mask)) ?? 0;
    if (!isMetaClean) {
      await log.append([], { meta: newMeta });
      // `replace` also removes the old `meta` from the store's files.
      await log.proof?.replace([]);
    }
    await checkReadable(log);
  } finally {
    await log[Symbol.asyncDispose]();
  }
}

async function hasSecret({ proof, ...log }: LogReader, mask: Mask): Promise<boolean> {
  for await (const text of proof?.quarantine?.() ?? []) if (mask(text) !== text) return true;
  for await (const { text } of proof?.snapshots?.() ?? []) if (mask(text) !== text) return true;
  for await (const { text } of log.range(0)) if (mask(text) !== text) return true;
  return false;
}

/** Rejects a log with texts that cannot be searched, in the log or in quarantine. */
async function checkReadable(log: LogReader): Promise<void> {
  await checkComplete(log);
  for await (const text of log.proof?.quarantine?.() ?? []) {
    const { seq, packed, strings } = (parseJson(text) ?? {}) as Record<string, unknown>;
    if (typeof packed !== 'string' || !Array.isArray(strings)) continue;
    const what = `The text of event ${Number(seq)} in the quarantine of conversation ${log.id}`;
    throw new StorageError('corrupt', `${what} is damaged, so it was not searched.`);
  }
}

async function openUnlessHeld(store: EventStore, id: string): Promise<EventLog | undefined> {
  try {
    return await store.open(id);
  } catch (error) {
    if (error instanceof StorageError && error.code === 'held') return undefined;
    throw error;
  }
}

async function replacementsIn(log: EventLog, mask: Mask, options: ScrubOptions): Promise<readonly TextReplacement[]> {
  const { signer, reason = 'secret', now = Date.now } = options;
  const { proof } = log;
  if (!proof) throw new StorageError('invalid', `The store of conversation ${log.id} has no proofs.`);
  const proofAt = proofCursor(proof);
  const replacements: TextReplacement[] = [];
  for await (const event of log.range(0)) {
    const text = mask(event.text);
    if (text === event.text) continue;
    checkFields(log.id, event, mask);
    const fields = {
      seq: event.seq,
      was: digestBefore(log.id, event, { statements: (await proofAt(event.seq))?.statements ?? [], signer }),
      is: digestOf({ ...event, text }),
      reason,
      at: now(),
    };
    replacements.push({ tombstone: signTombstone({ conversation: log.id, ...fields }, signer), text });
  }
  return replacements;
}

/**
 * Returns the digest of the text that a new tombstone accounts for: the one before the earlier tombstones of the same
 * signer. What another key claims about an earlier text is not repeated in the name of this one.
 */
function digestBefore(
  conversation: string,
  event: Stored,
  { statements, signer }: { readonly statements: readonly Statement[]; readonly signer: Signer },
): string {
  const digest = digestOf(event);
  const isOwn = (tombstone: Tombstone): boolean =>
    tombstone.signer === signer.did && tombstone.seq === event.seq && hasValidSignature(conversation, tombstone);
  const tombstones = tombstonesFor(digest, statements);
  const end = tombstones.findIndex((tombstone) => !isOwn(tombstone));
  return tombstones.slice(0, end === -1 ? tombstones.length : end).at(-1)?.was ?? digest;
}

function checkFields(conversation: string, { seq, id, kind, parentId = '' }: Stored, mask: Mask): void {
  if ([id, kind, parentId].every((field) => mask(field) === field)) return;
  throw new StorageError(
    'invalid',
    `The id, kind or parent id of event ${seq} of conversation ${conversation} contains a secret.`,
  );
}
