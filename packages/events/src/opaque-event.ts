import { eventSource, type BaseEvent, type EventSource } from './define-event.ts';

/**
 * An event this program cannot type: its kind is unknown here, or its fields break the kind's schema. Nothing of it is
 * lost: `text` is the stored JSON byte for byte, and encoding it gives exactly that text back.
 */
export interface OpaqueEvent extends BaseEvent {
  readonly kind: 'OpaqueEvent';
  /** The kind in the JSON, or the empty string when there is none. */
  readonly wireKind: string;
  readonly text: string;
  /** Why a known kind could not be read; absent when the kind is simply unknown. */
  readonly problem?: string;
}

const sources = new Set<unknown>(eventSource.options);

/** Wraps text that is not (or not known to be) a valid event; base fields are taken over where they can be read. */
export function opaqueEvent(text: string, json: Record<string, unknown>, problem?: string): OpaqueEvent {
  return Object.freeze({
    id: asString(json['id']),
    timestamp: asString(json['timestamp']),
    source: sources.has(json['source']) ? (json['source'] as EventSource) : 'environment',
    ...(typeof json['parent_id'] === 'string' && { parent_id: json['parent_id'] }),
    kind: 'OpaqueEvent',
    wireKind: asString(json['kind']),
    text,
    ...(problem !== undefined && { problem }),
  });
}

function asString(value: unknown): string {
  return typeof value === 'string' ? value : '';
}

/** Whether an event could not be typed. */
export function isOpaque(event: BaseEvent): event is OpaqueEvent {
  return event.kind === 'OpaqueEvent';
}
