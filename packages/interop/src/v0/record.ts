import type { Content } from '@varve/events';
import type { Fields } from '../common/foreign-json.ts';

/** Event of OpenHands V0 as its JSON: an object with `action` or `observation`. */
export type V0Record = Fields;

/** Order of the keys of a record. @see OpenHands events/serialization/event.py */
const keyOrder =
  'id timestamp source message cause action observation tool_call_metadata llm_metrics args timeout content extras success';
const orderOf = new Map(keyOrder.split(' ').map((key, index) => [key, index]));

/** Returns a record with its keys in the order of the format, unknown keys last, and without undefined values. */
export function inKeyOrder(record: V0Record): V0Record {
  const keys = Object.keys(record).filter((key) => record[key] !== undefined);
  const sorted = keys.toSorted((a, b) => (orderOf.get(a) ?? Infinity) - (orderOf.get(b) ?? Infinity) || 0);
  return Object.fromEntries(sorted.map((key) => [key, record[key]]));
}

/** Returns the name of the action or observation of a record; an action takes precedence. */
export function typeOf(record: V0Record): { readonly action?: string; readonly observation?: string } {
  const { action, observation } = record;
  if (typeof action === 'string') return { action };
  return typeof observation === 'string' ? { observation } : {};
}

/** Returns the images of content, or null if there are none. */
export function imagesOf(content: readonly Content[]): readonly string[] | null {
  const urls = content.flatMap((block) => (block.type === 'image' ? block.image_urls : []));
  return urls.length > 0 ? urls : null;
}
