import { isUtf8 } from 'node:buffer';
import { createHash } from 'node:crypto';
import { join } from 'node:path';
import type { NewEvent } from '../contract/log.ts';
import type { Files } from './files.ts';
import { type JsonRecord, parseRecord } from './json-record.ts';
import type { Paths } from './paths.ts';

/** What the name of an event's file says. */
export interface EventName {
  readonly seq: number;
  /** The event's id, or what stands for one that makes no name. */
  readonly slug: string;
}

const pattern = /^event-(\d{5,})-(.+)\.json$/s;
const idPattern = /^[0-9a-fA-F-]{8,200}$/;

/** Whether the id can be part of a name that the reference reads. */
export function isNameable(id: string): boolean {
  return idPattern.test(id);
}

/** The id itself where it can be part of a name, else a UUID made of it. */
export function slugOf(id: string): string {
  if (isNameable(id)) return id;
  const hash = createHash('sha256').update(id).digest('hex');
  const parts = [hash.slice(0, 8), hash.slice(8, 12), `8${hash.slice(13, 16)}`, `a${hash.slice(17, 20)}`];
  return [...parts, hash.slice(20, 32)].join('-');
}

/** The name of an event's file: five digits or more, then the slug. */
export function eventName({ seq, slug }: EventName): string {
  return `event-${String(seq).padStart(5, '0')}-${slug}.json`;
}

/**
 * Reads the name of an event's file; nothing for other files.
 *
 * @see software-agent-sdk openhands/sdk/conversation/event_store.py (it takes hexadecimal ids only)
 */
export function parseEventName(name: string): EventName | undefined {
  const [, digits, slug] = pattern.exec(name) ?? [];
  return digits === undefined || slug === undefined ? undefined : { seq: Number(digits), slug };
}

/** The file of an event. */
export interface EventFile extends NewEvent {
  /** The file is empty, cut or otherwise no JSON of an event. */
  readonly isBroken: boolean;
}

/** Where the events of one conversation are read. */
export interface EventLocation {
  readonly files: Files;
  readonly paths: Pick<Paths, 'events' | 'sidecars'>;
}

/** Reads the event in a file of `events/`; nothing when there is no such file. */
export function readEventFile({ files, paths }: EventLocation, name: string): EventFile | undefined {
  const bytes = files.read(join(paths.events, name));
  if (!bytes) return undefined;
  const slug = parseEventName(name)?.slug ?? name;
  const text = bytes.toString();
  const body = isUtf8(bytes) ? parseRecord(text) : undefined;
  const label = body?.['id'] === slug ? undefined : parseRecord(files.read(join(paths.sidecars, `${slug}.json`)));
  const { kind, parentId } = fieldsOf(label ?? body ?? {});
  const id = typeof label?.['id'] === 'string' ? label['id'] : unlabelledId(slug, body?.['id']);
  return { id, kind, parentId, text, isBroken: label ? label['bytes'] !== bytes.length : !body };
}

/**
 * What has to lie beside an event's file because its text and name do not say it, as JSON; nothing for an event of the
 * agent, whose text says all.
 */
export function sidecarOf({ id, kind, parentId, text }: NewEvent): string | undefined {
  const body = isNameable(id) ? parseRecord(text) : undefined;
  const said = fieldsOf(body ?? {});
  if (body?.['id'] === id && said.kind === kind && said.parentId === parentId) return undefined;
  return JSON.stringify({ id, kind, parent_id: parentId, bytes: Buffer.byteLength(text) });
}

function fieldsOf({ kind, parent_id: parentId }: JsonRecord): Pick<NewEvent, 'kind' | 'parentId'> {
  return {
    kind: typeof kind === 'string' ? kind : '',
    parentId: typeof parentId === 'string' ? parentId : undefined,
  };
}

/** The reference finds events by name: a name that is an id is right, whatever other id the text has. */
function unlabelledId(slug: string, id: unknown): string {
  if (typeof id !== 'string' || id === '') return slug;
  return isNameable(slug) && isNameable(id) ? slug : id;
}
