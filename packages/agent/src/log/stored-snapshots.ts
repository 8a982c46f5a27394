import type { EventKind } from '@varve/events';
import { digestOf } from './digest.ts';

/** Name of the snapshot of a timeline folded with these kinds: other kinds fold the same log to another state. */
export function snapshotName({ kinds = [] }: { readonly kinds?: readonly EventKind[] | undefined }): string {
  if (kinds.length === 0) return 'conversation';
  const names = kinds.map(({ kind }) => kind).toSorted();
  return `conversation-${digestOf(names.join(' ')).slice(0, 16)}`;
}
