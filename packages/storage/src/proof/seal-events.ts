import type { NewEvent } from '../contract/log.ts';
import type { Checkpoint, Signer } from '../contract/statement.ts';
import { digestOf, nextSeal } from './hash-chain.ts';
import { signCheckpoint } from './signatures.ts';

/** An event, its place and its seal. */
export interface SealedEvent {
  readonly seq: number;
  readonly seal: string;
}

/** Where a chain of seals goes on. */
export interface SealOptions {
  readonly conversation: string;
  /** The seal before the first event. */
  readonly previous: string;
  readonly signer?: Signer | undefined;
  /** UTC milliseconds. */
  readonly at: number;
}

/** What sealing events comes to. */
export interface SealResult {
  /** One per event, in order. */
  readonly seals: readonly SealedEvent[];
  /** One per event when there is a signer. */
  readonly checkpoints: readonly Checkpoint[];
  /** The last seal. */
  readonly last: string;
}

/** Seals events that follow each other. */
export function sealEvents(events: readonly (NewEvent & { readonly seq: number })[], options: SealOptions): SealResult {
  const { conversation, previous, signer, at } = options;
  let last = previous;
  const seals = events.map((event) => {
    last = nextSeal(last, event.digest ?? digestOf(event));
    return { seq: event.seq, seal: last };
  });
  const checkpoints = signer ? seals.map((place) => signCheckpoint({ conversation, at, ...place }, signer)) : [];
  return { seals, checkpoints, last };
}
