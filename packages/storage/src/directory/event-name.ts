import { createHash } from 'node:crypto';

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
