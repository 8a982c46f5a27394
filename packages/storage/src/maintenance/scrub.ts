import type { Json } from '@varve/events';
import { StorageError } from '../contract/error.ts';
import type { TextReplacement } from '../contract/log-proof.ts';
import type { Stored } from '../contract/log-reader.ts';
import type { EventLog } from '../contract/log.ts';
import type { Signer } from '../contract/statement.ts';
import type { EventStore, Summary } from '../contract/store.ts';
import { allSummaries } from '../kit/listing.ts';
import { digestOf, sealedDigest } from '../proof/hash-chain.ts';
import { proofCursor } from '../proof/proof-pages.ts';
import { signTombstone } from '../proof/signatures.ts';
import { type FailedConversation, failedConversation } from './failed-conversation.ts';
import { masked } from './masked.ts';

/** What has to go, and who answers for it. */
export interface ScrubOptions {
  /** At least six characters each; every form that is not JSON's own, such as base64, is one more. */
  readonly secrets: readonly string[];
  readonly signer: Signer;
  /** For the tombstones; default `secret`. It stays in the proof, so it names no secret. */
  readonly reason?: string;
  /** UTC milliseconds; default `Date.now`. */
  readonly now?: () => number;
}

/** What was scrubbed. */
export interface ScrubResult {
  /** Places whose text was replaced. */
  readonly scrubbed: readonly { readonly conversation: string; readonly seq: number }[];
  /** Conversations that hold a secret and were left because somebody works on them. */
  readonly held: readonly string[];
  /**
   * Conversations that could not be read or changed, with a secret in what names an event, or with one that is a whole
   * number or name of the JSON: the secret may still be in them. So is all of a store without proof.
   */
  readonly failed: readonly FailedConversation[];
  /** How many texts in quarantine were masked; nothing in the proof tells of them. */
  readonly quarantined: number;
}

/**
 * Masks secrets in every event, and in the `meta`, of every conversation of a store, so forks and copies are found,
 * too, and in quarantine. Each replaced text leaves a tombstone that the signer has signed; seals and checkpoints stay
 * as they are and stay valid. May be repeated, and goes on after a crash, and after a conversation that fails. What lies
 * in bundles or in other stores is not reached. The digest that stays in the proof lets somebody try out guesses: a key
 * that leaked is to be replaced anyway.
 *
 * @throws {StorageError} `invalid` for a secret that is too short; `closed`; `io` also when all is replaced and somebody
 * goes on reading the state before: the next call does the rest. As `list` and `EventStore.purgeReplacedText`.
 */
export async function scrub(store: EventStore, options: ScrubOptions): Promise<ScrubResult> {
  const mask = masked(options.secrets);
  const result: Results = { scrubbed: [], held: [], failed: [], quarantined: 0 };
  for (const summary of await allSummaries(store)) {
    try {
      await scrubOne(store, summary, { ...options, mask, result });
    } catch (error) {
      result.failed.push(failedConversation(summary.id, error));
    }
  }
  // A call before this one may have replaced texts that somebody went on reading.
  await store.purgeReplacedText?.();
  return result;
}

type Mask = (text: string) => string;

/** A result that grows. */
interface Results extends ScrubResult {
  readonly scrubbed: { conversation: string; seq: number }[];
  readonly held: string[];
  readonly failed: FailedConversation[];
  quarantined: number;
}

interface Scrubbing extends ScrubOptions {
  readonly mask: Mask;
  readonly result: Results;
}

async function scrubOne(store: EventStore, { id, meta }: Summary, { mask, result, ...options }: Scrubbing) {
  const newMeta: Json = JSON.parse(mask(JSON.stringify(meta)));
  const isMetaClean = JSON.stringify(newMeta) === JSON.stringify(meta);
  if (isMetaClean && !(await hasSecret(store, id, mask))) return;
  const log = await openUnlessHeld(store, id);
  if (!log) {
    result.held.push(id);
    return;
  }
  try {
    const replacements = await replacementsIn(log, mask, options);
    await log.proof?.replace(replacements);
    result.scrubbed.push(...replacements.map(({ tombstone: { seq } }) => ({ conversation: id, seq })));
    result.quarantined += (await log.proof?.maskQuarantine?.(mask)) ?? 0;
    if (!isMetaClean) {
      await log.append([], { meta: newMeta });
      // The old `meta` may lie where the old texts lay.
      await log.proof?.replace([]);
    }
  } finally {
    await log[Symbol.asyncDispose]();
  }
}

async function hasSecret(store: EventStore, id: string, mask: Mask): Promise<boolean> {
  const { proof, ...log } = await store.read(id);
  for await (const text of proof?.quarantine?.() ?? []) if (mask(text) !== text) return true;
  for await (const { text } of log.range(0)) if (mask(text) !== text) return true;
  return false;
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
  if (!proof) throw new StorageError('invalid', `The store of conversation ${log.id} keeps no proof.`);
  const kept = proofCursor(proof);
  const replacements: TextReplacement[] = [];
  for await (const event of log.range(0)) {
    const text = mask(event.text);
    if (text === event.text) continue;
    checkFields(log.id, event, mask);
    const said = {
      seq: event.seq,
      was: sealedDigest(event, await kept(event.seq)),
      is: digestOf({ ...event, text }),
      reason,
      at: now(),
    };
    replacements.push({ tombstone: signTombstone({ conversation: log.id, ...said }, signer), text });
  }
  return replacements;
}

function checkFields(conversation: string, { seq, id, kind, parentId = '' }: Stored, mask: Mask): void {
  if ([id, kind, parentId].every((field) => mask(field) === field)) return;
  throw new StorageError('invalid', `A secret is in what names event ${seq} of conversation ${conversation}.`);
}
