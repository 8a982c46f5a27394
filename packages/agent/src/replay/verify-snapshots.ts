import { isDeepStrictEqual } from 'node:util';
import { eventCodec, type EventKind, type Json } from '@varve/events';
import { builtinKinds } from '@varve/events/kinds';
import type { LogReader } from '@varve/storage';
import { conversationTimeline, type ConversationTimeline } from '../log/conversation-state.ts';
import { parsedSnapshot, snapshotName } from '../log/stored-snapshots.ts';

/** Result of comparing a stored snapshot of a conversation with its log. */
export interface SnapshotCheck {
  readonly name: string;
  /** Number of events that the snapshot was stored for. */
  readonly seq: number;
  /**
   * `differs`: opening the conversation would start from a state that the log does not have. `unused`: opening it with
   * these kinds ignores the snapshot, because it is damaged, or of another version of varve or other kinds.
   */
  readonly state: 'same' | 'differs' | 'unused';
}

/** Options of {@link verifySnapshots}. */
export interface VerifySnapshotsOptions {
  /** Custom event kinds of the conversation. */
  readonly kinds?: readonly EventKind[];
}

/**
 * Folds a log again, and compares every snapshot from which the conversation can be opened with the state after the
 * same events. Needs no lease. Empty for a store that yields no snapshots.
 */
export async function verifySnapshots(
  log: LogReader,
  options: VerifySnapshotsOptions = {},
): Promise<readonly SnapshotCheck[]> {
  const codec = eventCodec([...builtinKinds, ...(options.kinds ?? [])]);
  const known = snapshotName(options);
  // Read before the log, which therefore has all events of each, even if another process appends.
  const saved = await Array.fromAsync(log.proof?.snapshots?.() ?? [], ({ name, seq, text }) => {
    const state = name === known ? parsedSnapshot(text) : undefined;
    const restored = conversationTimeline(codec);
    const isUsed = state !== undefined && restored.restore(state);
    return { name, seq, state, head: isUsed ? restored.head : undefined };
  });
  const end = await log.head();
  const timeline = conversationTimeline(codec);
  const checks: SnapshotCheck[] = [];
  for (const { name, seq, state, head } of saved.toSorted((a, b) => (a.head ?? 0) - (b.head ?? 0))) {
    if (head === undefined) {
      checks.push({ name, seq, state: 'unused' });
      continue;
    }
    const to = Math.min(head, end);
    await timeline.load((from) => log.range(Math.min(from, to), to));
    checks.push({ name, seq, state: isSnapshotOf(timeline, state) ? 'same' : 'differs' });
  }
  return checks;
}

/** The order of fields, and the checksum, which depends on it, are not compared. */
function isSnapshotOf(timeline: ConversationTimeline, saved: Json | undefined): boolean {
  const folded = JSON.parse(JSON.stringify(timeline.snapshot())) as object;
  return isDeepStrictEqual({ ...folded, checksum: '' }, { ...Object(saved), checksum: '' });
}
