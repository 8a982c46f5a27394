import type { EventKind, Json } from '@varve/events';
import { parseJson } from '@varve/text';
import { digestOf } from './digest.ts';

/** Name of the snapshot of a timeline folded with these kinds: other kinds fold the same log to another state. */
export function snapshotName({ kinds = [] }: { readonly kinds?: readonly EventKind[] | undefined }): string {
  if (kinds.length === 0) return 'conversation';
  const names = kinds.map(({ kind }) => kind).toSorted();
  return `conversation-${digestOf(names.join(' ')).slice(0, 16)}`;
}

/** Parses the text of a stored snapshot; returns undefined if it is not JSON. */
export function parsedSnapshot(text: string): Json | undefined {
  return parseJson(text) as Json | undefined;
}
