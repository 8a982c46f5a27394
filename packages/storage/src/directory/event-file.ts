import { isUtf8 } from 'node:buffer';
import { join } from 'node:path';
import type { NewEvent } from '../contract/log.ts';
import { isNameable, parseEventName } from './event-name.ts';
import type { Files } from './files.ts';
import { type JsonRecord, parseRecord } from './json-record.ts';
import type { Paths } from './paths.ts';

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
