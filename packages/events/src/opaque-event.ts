import { lazy } from './lazy.ts';
import { eventSource, type BaseEvent, type EventSource } from './define-event.ts';

/**
 * Event that cannot be typed: its kind is unknown, or its fields do not match the kind's schema. It is lossless: `text`
 * is the stored JSON byte for byte, and encoding the event returns that text.
 */
export interface OpaqueEvent extends BaseEvent {
  readonly kind: 'OpaqueEvent';
  /** Kind in the JSON; empty if it has none. */
  readonly wireKind: string;
  readonly text: string;
  /** Reason why an event of a known kind could not be read; absent for unknown kinds. */
  readonly problem?: string;
}

const sources = lazy(() => new Set<unknown>(eventSource().options));

/** Wraps text that is not a valid event of a known kind. Base fields are copied if they can be read. */
export function opaqueEvent(text: string, json: Record<string, unknown>, problem?: string): OpaqueEvent {
  return Object.freeze({
    id: asString(json['id']),
    timestamp: asString(json['timestamp']),
    source: sources().has(json['source']) ? (json['source'] as EventSource) : 'environment',
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

/** Returns true if an event could not be typed. */
export function isOpaque(event: BaseEvent): event is OpaqueEvent {
  return event.kind === 'OpaqueEvent';
}
