import { isUtf8 } from 'node:buffer';
import { createHash } from 'node:crypto';
import { join } from 'node:path';
import type { NewEvent } from '../../contract/log.ts';
import type { Files } from './files.ts';
import { type JsonRecord, parseRecord } from '../../kit/json.ts';
import type { Paths } from './paths.ts';

/** Parts of the name of an event's file. */
export interface EventName {
  readonly seq: number;
  /** The event's id, or a UUID derived from it if the id cannot be part of a file name. */
  readonly slug: string;
}

const pattern = /^event-(\d{5,})-(.+)\.json$/s;
const idPattern = /^[0-9a-fA-F-]{8,200}$/;

/** Returns true if the id can be part of a file name that the reference reads. */
export function isNameable(id: string): boolean {
  return idPattern.test(id);
}

/** Returns the id if it can be part of a file name, else a UUID derived from it. */
export function slugOf(id: string): string {
  if (isNameable(id)) return id;
  const hash = createHash('sha256').update(id).digest('hex');
  const parts = [hash.slice(0, 8), hash.slice(8, 12), `8${hash.slice(13, 16)}`, `a${hash.slice(17, 20)}`];
  return [...parts, hash.slice(20, 32)].join('-');
}

/** Returns the name of an event's file: the seq with five digits or more, then the slug. */
export function eventName({ seq, slug }: EventName): string {
  return `event-${String(seq).padStart(5, '0')}-${slug}.json`;
}

/**
 * Parses the name of an event's file; returns `undefined` for other names.
 *
 * @see software-agent-sdk openhands/sdk/conversation/event_store.py (accepts hexadecimal ids only)
 */
export function parseEventName(name: string): EventName | undefined {
  const [, digits, slug] = pattern.exec(name) ?? [];
  // A name that is not UTF-8 was read with replacement characters, and names no file.
  return digits === undefined || slug === undefined || slug.includes('\uFFFD')
    ? undefined
    : { seq: Number(digits), slug };
}

/** Contents of an event's file. */
export interface EventFile extends NewEvent {
  /** True if the file is empty, truncated or otherwise not the JSON of an event. */
  readonly isBroken: boolean;
}

/** Location of the events of one conversation. */
export interface EventLocation {
  readonly files: Files;
  readonly paths: Pick<Paths, 'events' | 'sidecars'>;
}

/** Reads the event in a file of `events/`; returns `undefined` if the file is missing. */
export function readEventFile({ files, paths }: EventLocation, name: string): EventFile | undefined {
  const bytes = files.read(join(paths.events, name));
  if (!bytes) return undefined;
  const slug = parseEventName(name)?.slug ?? name;
  const text = bytes.toString();
  const body = isUtf8(bytes) ? parseRecord(text) : undefined;
  const sidecar = body?.['id'] === slug ? undefined : parseRecord(files.read(join(paths.sidecars, `${slug}.json`)));
  const { kind, parentId } = fieldsOf(sidecar ?? body ?? {});
  const id = typeof sidecar?.['id'] === 'string' ? sidecar['id'] : idOf(slug, body?.['id']);
  return { id, kind, parentId, text, isBroken: sidecar ? sidecar['bytes'] !== bytes.length : !body };
}

/**
 * Returns the JSON of an event's sidecar, with the fields that its text and file name do not contain. Returns
 * `undefined` if no sidecar is needed, as for events of the agent.
 */
export function sidecarOf({ id, kind, parentId, text }: NewEvent): string | undefined {
  const body = isNameable(id) ? parseRecord(text) : undefined;
  const fields = fieldsOf(body ?? {});
  if (body?.['id'] === id && fields.kind === kind && fields.parentId === parentId) return undefined;
  return JSON.stringify({ id, kind, parent_id: parentId, bytes: Buffer.byteLength(text) });
}

function fieldsOf({ kind, parent_id: parentId }: JsonRecord): Pick<NewEvent, 'kind' | 'parentId'> {
  return {
    kind: typeof kind === 'string' ? kind : '',
    parentId: typeof parentId === 'string' ? parentId : undefined,
  };
}

/** The reference finds events by file name, so an id in the name takes precedence over the id in the text. */
function idOf(slug: string, id: unknown): string {
  if (typeof id !== 'string' || id === '') return slug;
  return isNameable(slug) && isNameable(id) ? slug : id;
}
