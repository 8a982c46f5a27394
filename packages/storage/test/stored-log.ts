import {
  type LogReader,
  memoryStore,
  type Stored,
  ed25519Signer,
  type EventProof,
  type Signer,
  type Statement,
  verify,
  type VerifyOptions,
} from '@varve/storage';
import { digestOf } from '../src/proof/hash-chain.ts';
import { signedBytes } from '../src/proof/signatures.ts';
import { newEvent } from '../src/testing/events.ts';

/** Signs the logs. */
export const signer = ed25519Signer(new Uint8Array(32).fill(1));
/** Signs for another key. */
export const thief = ed25519Signer(new Uint8Array(32).fill(2));
/** The key of the signer. */
export const trusted = [signer.did];

/** A log and its proof, to be tampered with. */
export interface StoredLog {
  readonly id: string;
  readonly events: Stored[];
  readonly proofs: EventProof[];
  readonly end: { readonly head: number; readonly seal: string };
}

/** Creates a log of which every third event is signed. */
export async function storedLog(count: number, id = 'c'): Promise<StoredLog> {
  await using store = memoryStore({ now: () => 1 });
  const log = await store.create(id, {});
  for (let n = 0; n < count; n += 1) {
    await log.append([newEvent(`e${n}`, { note: `${n}` })], n % 3 === 2 ? { signer } : {});
  }
  const proofs = [...((await log.proof?.page(0, count)) ?? [])];
  const end = await log.proof?.end();
  return { id, events: await Array.fromAsync(log.range(0)), proofs, end: end ?? { head: 0, seal: '' } };
}

function unused(): never {
  throw new Error('Not used.');
}

/** Reads a log as a store would: by position, not by the seqs in the events. */
export function readerOf({ id, events, proofs, end }: StoredLog): LogReader {
  const numbered = events.map((event, seq) => ({ ...event, seq }));
  return {
    id,
    head: async () => numbered.length,
    range: async function* range(from: number) {
      yield* numbered.slice(from);
    },
    at: unused,
    seqOf: unused,
    tail: unused,
    proof: {
      page: async (from, to) => proofs.filter(({ seq }) => seq >= from && seq < Math.min(to, from + 4)),
      end: async () => end,
    },
  };
}

/** Returns the seq and the reason of the first failure. */
export async function broken(stored: StoredLog, options: VerifyOptions = {}) {
  const verdict = await verify(readerOf(stored), options);
  return verdict.broken && [verdict.broken.seq, verdict.broken.reason];
}

/** Returns the event at a position. */
export function eventAt(events: readonly Stored[], at: number): Stored {
  const event = events[at];
  if (!event) throw new Error(`There is no event ${at}.`);
  return event;
}

/** Returns the stored seal of an event. */
export function sealAt(stored: StoredLog, seq: number): string {
  return stored.proofs[seq]?.seal ?? '';
}

/** Signs a tombstone. */
export function tombstone(event: Stored, now: Stored, by: Signer): Statement {
  const fields = { seq: event.seq, was: digestOf(event), is: digestOf(now), reason: 'a key' };
  const unsigned = { kind: 'tombstone', ...fields, signer: by.did, at: 1 } as const;
  return { ...unsigned, signature: Buffer.from(by.sign(signedBytes('c', unsigned))).toString('base64url') };
}
