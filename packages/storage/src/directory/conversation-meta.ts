import { createHash } from 'node:crypto';
import type { Json } from '@varve/events';
import type { Files } from './files.ts';
import { asRecord, type JsonRecord, parseRecord } from './json-record.ts';
import type { Paths } from './paths.ts';

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

/** What the files beside the log say of a conversation. */
export interface ConversationMeta {
  /** UTC milliseconds. */
  readonly createdAt: number | undefined;
  readonly meta: Json;
}

/**
 * Reads what `create` or an append gave, and what the reference wrote since: its title, status and workspace; of a
 * conversation that is only its own also who worked on it, and how calls are confirmed. Never fails for what is in the
 * files: they are caches.
 */
export function readMeta(files: Files, paths: Paths): ConversationMeta {
  const own = parseOwnMeta(files.read(paths.ownMeta));
  const text = files.read(paths.baseState);
  const isOurs = text === undefined || own?.baseState === sha256Of(text);
  if (own && (isOurs || !asRecord(own.meta))) return own;
  const stored = parseRecord(files.read(paths.meta)) ?? {};
  const state = parseRecord(text) ?? {};
  const workspace = asRecord(state['workspace'] ?? stored['workspace'])?.['working_dir'];
  const createdAt = own?.createdAt ?? Date.parse(String(stored['created_at']));
  const meta = {
    ...(own ? asRecord(own.meta) : agentFields(state)),
    ...textOf('title', stored['title']),
    ...textOf('status', state['execution_status']),
    ...textOf('workspace', workspace),
  };
  return { createdAt: Number.isNaN(createdAt) ? undefined : createdAt, meta: meta as Json };
}

/** Of its agent no more than the kind: the rest holds keys, and what only the reference understands. */
function agentFields({ agent, confirmation_policy: policy, security_analyzer: analyzer }: JsonRecord): JsonRecord {
  const kind = asRecord(agent)?.['kind'];
  return {
    ...(typeof kind === 'string' && { agent: { kind } }),
    ...(asRecord(policy) && { confirmation_policy: policy }),
    ...(asRecord(analyzer) && { security_analyzer: analyzer }),
  };
}

function textOf(name: string, value: unknown): Readonly<Record<string, string>> {
  return typeof value === 'string' ? { [name]: value } : {};
}
