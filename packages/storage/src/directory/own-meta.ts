import { createHash } from 'node:crypto';
import type { Json } from '@varve/events';
import { parseRecord } from './json-record.ts';

/** What `.varve/meta.json` holds. */
export interface OwnMeta {
  /** UTC milliseconds. */
  readonly createdAt: number;
  readonly meta: Json;
  /** Digest of the `base_state.json` that belongs to it: with another one, somebody else went on. */
  readonly baseState: string | undefined;
}

/** Reads it; nothing when the reference made the conversation, or the file is broken. */
export function parseOwnMeta(text: Buffer | undefined): OwnMeta | undefined {
  const { created_at: createdAt, meta, base_state: baseState } = parseRecord(text) ?? {};
  if (typeof createdAt !== 'number' || meta === undefined) return undefined;
  return { createdAt, meta: meta as Json, baseState: typeof baseState === 'string' ? baseState : undefined };
}

/** Writes it. `meta` was checked to be JSON. */
export function ownMetaText({ createdAt, meta, baseState }: OwnMeta): string {
  return JSON.stringify({ created_at: createdAt, base_state: baseState, meta });
}

/** Tells one `base_state.json` from another. */
export function sha256Of(text: string | Buffer): string {
  return createHash('sha256').update(text).digest('hex');
}
