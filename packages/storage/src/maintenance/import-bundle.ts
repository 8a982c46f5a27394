import type { Json } from '@varve/events';
import type { Verdict } from '../proof/verdict.ts';
import type { VerifyOptions } from '../proof/verify-options.ts';
import type { EventStore } from '../contract/store.ts';
import { copyLog } from './copy-log.ts';
import { readBundle } from './read-bundle.ts';

/** How a bundle is imported. */
export interface ImportOptions extends VerifyOptions {
  /** The `meta` of the conversation, from that in the bundle; default the same. Paths of another machine end here. */
  readonly meta?: (meta: Json) => Json;
}

/**
 * Makes a conversation of a bundle, with its id, its exact texts, its seals and its signatures, after it was verified.
 * Holds the bundle in memory; leaves nothing behind when it fails.
 *
 * @throws {StorageError} `corrupt` for what is no whole bundle or holds a broken log; `exists`; as `readBundle` and
 * `copyLog`.
 */
export async function importBundle(
  chunks: AsyncIterable<string | Uint8Array>,
  store: EventStore,
  { meta = (same) => same, ...options }: ImportOptions = {},
): Promise<Verdict | undefined> {
  const bundle = await readBundle(chunks);
  return copyLog(bundle.log, store, { ...options, meta: meta(bundle.meta) });
}
