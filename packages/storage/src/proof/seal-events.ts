import type { NewEvent } from '../contract/log.ts';
import type { Checkpoint, Signer } from '../contract/statement.ts';
import { digestOf, nextSeal } from './hash-chain.ts';
import { signCheckpoint } from './signatures.ts';

/** Seal of one event. */
export interface SealedEvent {
  readonly seq: number;
  readonly seal: string;
}

/** Options of `sealEvents`. */
export interface SealOptions {
  readonly conversation: string;
  /** The seal before the first event. */
  readonly previous: string;
  readonly signer?: Signer | undefined;
  /** UTC milliseconds. */
  readonly at: number;
}

/** Seals and checkpoints made by `sealEvents`. */
export interface SealResult {
  /** One per event, in order. */
  readonly seals: readonly SealedEvent[];
  /** One per event if there is a signer, else empty. */
  readonly checkpoints: readonly Checkpoint[];
  /** The last seal. */
  readonly last: string;
}

/** Continues the hash chain over consecutive events, and signs each seal if there is a signer. */
export function sealEvents(events: readonly (NewEvent & { readonly seq: number })[], options: SealOptions): SealResult {
  const { conversation, previous, signer, at } = options;
  let last = previous;
  const seals = events.map((event) => {
    last = nextSeal(last, event.digest ?? digestOf(event));
    return { seq: event.seq, seal: last };
  });
  const checkpoints = signer ? seals.map((seal) => signCheckpoint({ conversation, at, ...seal }, signer)) : [];
  return { seals, checkpoints, last };
}
