import { readEvents, readState } from '@varve/agent';
import { eventCodec } from '@varve/events';
import { builtinKinds } from '@varve/events/kinds';
import { statsProjection, statusProjection, Timeline } from '@varve/events/projections';
import { EventFollower } from '@varve/host';
import type { Questions } from '@varve/host/people';
import type { LogReader } from '@varve/storage';
import { storedRun } from '../conversations/stored-run.ts';
import { openExistingStore, storeUrl } from '../home/open-configured-store.ts';
import { runningServers } from '../home/running-servers.ts';
import type { FollowedLog } from '../conversations/branch-events.ts';
import { reportProblem } from './report-problem.ts';
import { servedConversation, type ServedConversation } from './served-conversation.ts';
import { isUndecided, serverQuestions } from './server-questions.ts';
import { transcriptOf } from './transcript.ts';
import type { Screen } from './screen.ts';

/** Conversation that another process holds: it is shown while it grows, and a server that holds it can change it. */
export interface WatchedSession extends AsyncDisposable {
  readonly id: string;
  readonly workspace: string;
  readonly follower: EventFollower;
  /** The conversation on a running server of this user; undefined if no server has it. */
  readonly served: ServedConversation | undefined;
  /** Asks again about calls that wait on the server, or continues its run. */
  continue(): Promise<void>;
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
  const { followed, status } = await followedLog(log, workspace, () => {
    if (status() !== 'running') screen.status.set(undefined);
    ask();
  });
  const served = await servedConversation(id, runningServers(await storeUrl(io, request.store), io));
  const asking = serverQuestions(questions, (error) => reportProblem(error, screen));
  const ask = (): void => {
    if (!served || status() !== 'waiting_for_confirmation') asking.cancel();
    else asking.ask(served, async () => readState(log), workspace);
  };
  open.defer(() => asking.cancel());
  screen.footer.replace({ ...(model && { model: model.name }), isReadOnly: served === undefined });
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
    async continue() {
      if (isUndecided(await readState(log))) ask();
      else await served?.continue();
    },
    interrupt: () => asking.interrupt(status() === 'running' ? served : undefined),
    [Symbol.asyncDispose]: async () => owned.disposeAsync(),
  };
}

/** Reads a log without its lease. `onNew` is called after each later event was received. */
async function followedLog(log: LogReader, workspace: string, onNew: () => void) {
  const codec = eventCodec(builtinKinds);
  const timeline = new Timeline({ codec, projections: { stats: statsProjection, status: statusProjection } });
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
        const isNew = logged.seq >= timeline.head;
        if (isNew) timeline.push(logged.event, logged.seq);
        yield logged;
        if (isNew) onNew();
      }
    },
  };
  return { followed, status: () => timeline.read('status').execution };
}
