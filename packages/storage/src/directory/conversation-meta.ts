import { createHash } from 'node:crypto';
import { redactSecretFields } from '@varve/text';
import type { Json } from '@varve/events';
import type { Files } from './layout/files.ts';
import { asRecord, type JsonRecord, parseRecord } from '../kit/json.ts';
import type { Paths } from './layout/paths.ts';

/** Contents of `.varve/meta.json`. */
export interface OwnMeta {
  /** UTC milliseconds. */
  readonly createdAt: number;
  /** Empty or absent without one. */
  readonly owner: string | undefined;
  readonly meta: Json;
  /** Digest of the `base_state.json` written with it; a different file shows that the reference continued the log. */
  readonly baseState: string | undefined;
}

/** Parses `.varve/meta.json`; returns `undefined` if it is missing or broken. */
export function parseOwnMeta(text: Buffer | undefined): OwnMeta | undefined {
  const { created_at: createdAt, owner, meta, base_state: baseState } = parseRecord(text) ?? {};
  if (typeof createdAt !== 'number' || meta === undefined) return undefined;
  const texts = { owner: textIn(owner), baseState: textIn(baseState) };
  return { createdAt, meta: meta as Json, ...texts };
}

function textIn(value: unknown): string | undefined {
  return typeof value === 'string' ? value : undefined;
}

/** Returns the text of `.varve/meta.json`. The caller checked that `meta` is JSON. */
export function ownMetaText({ createdAt, owner, meta, baseState }: OwnMeta): string {
  return JSON.stringify({ created_at: createdAt, ...(owner && { owner }), base_state: baseState, meta });
}

/** Returns the SHA-256 of a `base_state.json`, in hexadecimal. */
export function sha256Of(text: string | Buffer): string {
  return createHash('sha256').update(text).digest('hex');
}

/** Metadata of a conversation, from all of its files. */
export interface ConversationMeta {
  /** UTC milliseconds. */
  readonly createdAt: number | undefined;
  /** Empty or absent without one. */
  readonly owner: string | undefined;
  readonly meta: Json;
}

/**
 * Reads the `meta` of `create` or the last append, updated with the title, status and workspace that the reference
 * wrote since. For a conversation of the reference alone, adds the agent's kind and the confirmation settings.
 * Malformed files are ignored: they are caches.
 */
export function readMeta(files: Files, paths: Paths): ConversationMeta {
  const ownMeta = parseOwnMeta(files.read(paths.ownMeta));
  const text = files.read(paths.baseState);
  const isUnchanged = text === undefined || ownMeta?.baseState === sha256Of(text);
  if (ownMeta && (isUnchanged || !asRecord(ownMeta.meta))) return ownMeta;
  const stored = parseRecord(files.read(paths.meta)) ?? {};
  const state = parseRecord(text) ?? {};
  const workspace = asRecord(state['workspace'] ?? stored['workspace'])?.['working_dir'];
  const createdAt = ownMeta?.createdAt ?? Date.parse(String(stored['created_at']));
  const meta = {
    ...(ownMeta ? asRecord(ownMeta.meta) : agentFields(state)),
    ...textOf('title', stored['title']),
    ...textOf('status', state['execution_status']),
    ...textOf('workspace', workspace),
  };
  return { createdAt: Number.isNaN(createdAt) ? undefined : createdAt, owner: ownMeta?.owner, meta: meta as Json };
}

/** Encrypted text of the reference: a Fernet token. */
const token = /^gAAAA[\w-]{60,}={0,2}$/;

/** Returns the reference's agent without keys in clear, and its policies. The key of its model stays if encrypted. */
function agentFields({ agent, confirmation_policy: policy, security_analyzer: analyzer }: JsonRecord): JsonRecord {
  const record = asRecord(agent);
  return {
    ...(typeof record?.['kind'] === 'string' && { agent: withoutKeys(record) }),
    ...(asRecord(policy) && { confirmation_policy: policy }),
    ...(asRecord(analyzer) && { security_analyzer: analyzer }),
  };
}

function withoutKeys(agent: JsonRecord): JsonRecord {
  const [redacted, key] = [redactSecretFields(agent, ''), asRecord(agent['llm'])?.['api_key']];
  if (typeof key !== 'string' || !token.test(key)) return redacted;
  return { ...redacted, llm: { ...asRecord(redacted['llm']), api_key: key } };
}

function textOf(name: string, value: unknown): Readonly<Record<string, string>> {
  return typeof value === 'string' ? { [name]: value } : {};
}
