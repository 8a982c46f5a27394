import type { EventKind } from '@varve/events';
import type { EventLog } from '@varve/storage';
import type { ConversationTimeline } from './conversation-state.ts';
import { digestOf } from './digest.ts';

/** Name of the snapshot of a timeline folded with these kinds: other kinds fold the same log to another state. */
export function snapshotName({ kinds = [] }: { readonly kinds?: readonly EventKind[] | undefined }): string {
  if (kinds.length === 0) return 'conversation';
  const names = kinds.map(({ kind }) => kind).toSorted();
  return `conversation-${digestOf(names.join(' ')).slice(0, 16)}`;
}

/** Newest snapshot of a log. */
export interface StoredSnapshot {
  readonly name: string;
  /** Number of its events. */
  readonly head: number;
}

/** Saves snapshots of an open conversation, so that opening it again folds only what followed the newest. */
export class Snapshots {
  readonly #log: Pick<EventLog, 'snapshots'>;
  readonly #timeline: ConversationTimeline;
  readonly #name: string;
  #head: number;
  #saving: Promise<void> = Promise.resolve();

  constructor(log: Pick<EventLog, 'snapshots'>, timeline: ConversationTimeline, { name, head }: StoredSnapshot) {
    this.#log = log;
    this.#timeline = timeline;
    this.#name = name;
    this.#head = head;
  }

  /** Saves one if at least this many events follow the newest. Resolves when it is stored. */
  async save(minEvents: number): Promise<void> {
    const { head } = this.#timeline;
    if (head - this.#head >= minEvents) {
      this.#head = head;
      this.#saving = this.#log.snapshots.save(this.#name, { seq: head, state: this.#timeline.snapshot() });
    }
    await this.#saving;
  }
}
