import { readEvents } from '@varve/agent';
import { eventCodec } from '@varve/events';
import { builtinKinds } from '@varve/events/kinds';
import { statsProjection, Timeline } from '@varve/events/projections';
import { EventFollower } from '@varve/host';
import { storedRun } from '../conversations/stored-run.ts';
import { openExistingStore } from '../home/open-configured-store.ts';
import type { TerminalIo } from '../terminal/terminal-io.ts';
import type { FollowedLog } from './branch-events.ts';
import { transcriptOf } from './transcript.ts';
import type { Screen } from './screen.ts';

/** Conversation that another process holds: it is shown while it grows, and not changed. */
export interface WatchedSession extends AsyncDisposable {
  readonly id: string;
  readonly workspace: string;
  readonly follower: EventFollower;
}

/** Which conversation is watched, and what returns the seq from which on its events are followed. */
export interface WatchRequest {
  readonly id: string;
  readonly store?: string | undefined;
  readonly from: (log: FollowedLog) => Promise<number>;
}

/** Shows a conversation on the screen from its log, without its lease. */
export async function watchSession(request: WatchRequest, screen: Screen, io: TerminalIo): Promise<WatchedSession> {
  await using open = new AsyncDisposableStack();
  const store = open.use(await openExistingStore(io, request.store));
  const { id, workspace = '', model } = await storedRun(store, request.id);
  const log = await store.read(id);
  const codec = eventCodec(builtinKinds);
  const timeline = new Timeline({ codec, projections: { stats: statsProjection } });
  await timeline.load((from) => log.range(from));
  const followed: FollowedLog = {
    workspace,
    get state() {
      const { head, leafId } = timeline;
      return { head, ...(leafId !== undefined && { leafId }), stats: timeline.read('stats') };
    },
    async *events({ from, signal }) {
      const stored = signal ? log.tail(from, signal) : log.range(from, timeline.head);
      for await (const logged of readEvents(stored, codec)) {
        if (logged.seq >= timeline.head) timeline.push(logged.event, logged.seq);
        yield logged;
      }
    },
  };
  screen.footer.replace({ ...(model && { model: model.name }), isReadOnly: true });
  const follower = new EventFollower(followed, transcriptOf(followed, screen), await request.from(followed));
  open.defer(async () => follower.finish());
  await follower.caughtUp();
  const owned = open.move();
  return { id, workspace, follower, [Symbol.asyncDispose]: async () => owned.disposeAsync() };
}
