import { readEvents, readState } from '@varve/agent';
import { eventCodec } from '@varve/events';
import { builtinKinds } from '@varve/events/kinds';
import { statsProjection, statusProjection, Timeline } from '@varve/events/projections';
import { EventFollower } from '@varve/host';
import type { Questions } from '@varve/host/people';
import { storedRun } from '../conversations/stored-run.ts';
import { openExistingStore, storeUrl } from '../home/open-configured-store.ts';
import { runningServers } from '../home/running-servers.ts';
import type { FollowedLog } from './branch-events.ts';
import { reportProblem } from './report-problem.ts';
import { servedConversation, type ServedConversation } from './served-conversation.ts';
import { transcriptOf } from './transcript.ts';
import type { Screen } from './screen.ts';

/** Conversation that another process holds: it is shown while it grows. A server that holds it can be asked to change it. */
export interface WatchedSession extends AsyncDisposable {
  readonly id: string;
  readonly workspace: string;
  readonly follower: EventFollower;
  /** The conversation on a running server of this user; undefined if no server has it. */
  readonly served: ServedConversation | undefined;
  /** Interrupts the run of the server, and leaves a question undecided. Returns false if it has none. */
  interrupt(): boolean;
}

/** Which conversation is watched, and what returns the seq from which on its events are followed. */
export interface WatchRequest {
  readonly id: string;
  readonly store?: string | undefined;
  readonly from: (log: FollowedLog) => Promise<number>;
}

/** Shows a conversation on the screen from its log, without its lease. */
export async function watchSession(
  request: WatchRequest,
  screen: Screen,
  questions: Questions,
): Promise<WatchedSession> {
  const { io } = screen;
  await using open = new AsyncDisposableStack();
  const store = open.use(await openExistingStore(io, request.store));
  const { id, workspace = '', model } = await storedRun(store, request.id);
  const log = await store.read(id);
  const codec = eventCodec(builtinKinds);
  const timeline = new Timeline({ codec, projections: { stats: statsProjection, status: statusProjection } });
  await timeline.load((from) => log.range(from));
  const served = await servedConversation(id, runningServers(await storeUrl(io, request.store), io));
  const status = (): string => timeline.read('status').execution;
  let asking: Promise<unknown> | undefined;
  let interruption = new AbortController();
  const ask = (): void => {
    if (!served || asking || status() !== 'waiting_for_confirmation') return;
    interruption = new AbortController();
    asking = readState(log)
      .then(async (state) => questions.decide(served.reviewed(state, workspace), interruption.signal))
      .then(async (isDecided) => isDecided && served.continue())
      .catch((error: unknown) => reportProblem(error, screen))
      .finally(() => (asking = undefined));
  };
  open.defer(() => interruption.abort());
  const followed: FollowedLog = {
    workspace,
    get state() {
      const { head, leafId } = timeline;
      return { head, ...(leafId !== undefined && { leafId }), stats: timeline.read('stats') };
    },
    async *events({ from, signal }) {
      const stored = signal ? log.tail(from, signal) : log.range(from, timeline.head);
      for await (const logged of readEvents(stored, codec)) {
        const isNew = logged.seq >= timeline.head;
        if (isNew) timeline.push(logged.event, logged.seq);
        yield logged;
        if (isNew && status() !== 'running') screen.status.set(undefined);
        if (isNew) ask();
      }
    },
  };
  screen.footer.replace({ ...(model && { model: model.name }), isReadOnly: true });
  const follower = new EventFollower(followed, transcriptOf(followed, screen), await request.from(followed));
  open.defer(async () => follower.finish());
  await follower.caughtUp();
  ask();
  const owned = open.move();
  return {
    id,
    workspace,
    follower,
    served,
    interrupt() {
      interruption.abort();
      if (!served || status() !== 'running') return false;
      void served.interrupt().catch((error: unknown) => reportProblem(error, screen));
      return true;
    },
    [Symbol.asyncDispose]: async () => owned.disposeAsync(),
  };
}
