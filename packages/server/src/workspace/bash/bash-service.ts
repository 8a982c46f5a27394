import { randomUUID } from 'node:crypto';
import { resolve } from 'node:path';
import type { PreparedParts } from '@varve/settings/agent';
import type { Redactor, Variables } from '@varve/text';
import { RequestError } from '../../error.ts';
import type { RunningTasks } from '../../hosting/task-lists.ts';
import { nameOf, parseName, timestampOf, type BashCommand, type BashEvent, type BashOutput } from './bash-event.ts';
import type { BashEventStore } from './bash-event-store.ts';
import { oldEvents, type BashRetention } from './old-events.ts';
import { runBashCommand, type ReportOutput } from './run-bash-command.ts';
import { readEvent, searchBashEvents, type BashPage, type BashQuery } from './search-bash-events.ts';

/** Command to run: a working directory that is null or relative starts at the root of the service. */
export type BashRequest = Pick<BashCommand, 'command' | 'cwd' | 'timeout'>;

/** Receives events after they were stored, in their order. It must not throw. */
export type BashListener = (event: BashEvent) => void;

/** Runs commands of clients and stores their events. */
export interface BashService extends AsyncDisposable {
  /** Stores and starts a command. `ended` resolves to its last output. @throws if the command cannot be stored. */
  start(request: BashRequest): Promise<{ readonly command: BashCommand; readonly ended: Promise<BashOutput> }>;
  search(query: BashQuery): Promise<BashPage>;
  /** Returns the event with an id of 32 hex digits; undefined if it does not exist. */
  get(id: string): Promise<BashEvent | undefined>;
  /** Returns the events with these ids, in the same order. */
  getAll(ids: readonly string[]): Promise<readonly (BashEvent | undefined)[]>;
  /** Removes all stored events; returns their number. */
  clear(): Promise<number>;
  /** Number of running commands. */
  readonly running: number;
  /** Calls the listener for each later event until the subscription is disposed. */
  subscribe(listener: BashListener): Promise<Disposable>;
  /** Ends running commands, and waits for them. */
  [Symbol.asyncDispose](): Promise<void>;
}

/** Options of `bashService`. */
export interface BashServiceOptions {
  readonly store: BashEventStore;
  /** Calls a listener for the later events of a store that others use as well. Default: for those of this service. */
  readonly follow?: BashService['subscribe'] | undefined;
  /**
   * Opens the record of running commands; `takeOver` ends one whose outcome is unknown, unless it has ended.
   * Default: no record.
   */
  readonly openRunning?: ((takeOver: (id: string) => Promise<void>) => RunningTasks) | undefined;
  /** Directory of commands without one. */
  readonly root: string;
  /** Variables whose public part commands receive. */
  readonly env: Variables;
  /** Opens the walls around a command in a directory. Default: there are none. */
  readonly openWalls?: ((directory: string) => Promise<PreparedParts['walls']>) | undefined;
  /** Masks commands and their output: before they are stored and sent. */
  readonly redactor: Redactor;
  readonly retention: BashRetention;
  /** UTC milliseconds. */
  readonly now: () => number;
  /** Receives errors of commands whose output could not be stored. */
  readonly onError: (error: unknown) => void;
}

/** Exit code of a command whose outcome is unknown, as that of ssh: -1 is that of one that did not start. */
const unknownCode = 255;

/** Creates the service. */
export function bashService(options: BashServiceOptions): BashService {
  const { store, retention, now } = options;
  const running = new Set<Promise<unknown>>();
  const closing = new AbortController();
  const removeOld = oldEvents(store, retention, now);
  const commands = publisher(options);
  return {
    async start(request) {
      const directory = resolve(options.root, request.cwd ?? '.');
      using opened = new DisposableStack();
      const walls = opened.use(await options.openWalls?.(directory));
      await removeOld();
      const event = await commands.begin(request);
      const { env, redactor, onError } = options;
      const place = { directory, env, redactor, sandbox: walls?.sandbox, signal: closing.signal };
      const ended = runBashCommand(request, { ...place, report: commands.report(event) });
      running.add(ended);
      const owned = opened.move();
      ended
        .then(
          () => commands.recorded?.end(event.id),
          (error: unknown) => {
            commands.recorded?.fail(event.id);
            onError(error);
          },
        )
        .finally(() => {
          running.delete(ended);
          owned.dispose();
        });
      return { command: event, ended };
    },
    search: (query) => searchBashEvents(store, query),
    get: async (id) => (await eventsOf(store, [id]))[0],
    getAll: (ids) => eventsOf(store, ids),
    async clear() {
      const names = await store.names();
      await store.remove(names);
      return names.length;
    },
    get running() {
      return running.size;
    },
    subscribe: options.follow ?? ((listener) => commands.subscribe(listener)),
    async [Symbol.asyncDispose]() {
      closing.abort();
      await Promise.allSettled(running);
      await commands.recorded?.[Symbol.asyncDispose]();
    },
  };
}

/** Returns what stores the events of commands, in their order, and calls the listeners. */
function publisher({ store, redactor, now, openRunning }: BashServiceOptions) {
  const listeners = new Set<{ readonly listener: BashListener }>();
  const stamp = clock(now);
  const publish = async <Event extends BashEvent>(event: Event): Promise<Event> => {
    await store.add(nameOf(event), JSON.stringify(event, undefined, 2));
    for (const { listener } of listeners) listener(event);
    return event;
  };
  const recorded = openRunning?.(async (id) => {
    const output = await unknownEnd(store, id);
    if (output) await publish({ ...stamp(), ...output });
  });
  return {
    recorded,
    async begin({ command, cwd, timeout }: BashRequest): Promise<BashCommand> {
      const stamped = stamp();
      await recorded?.begin(stamped.id);
      const masked = { command: redactor.text(command), cwd: redactor.value(cwd), timeout };
      return publish({ ...masked, ...stamped, kind: 'BashCommand' });
    },
    report:
      (command: BashCommand): ReportOutput =>
      async (order, exit_code, { stdout, stderr }) => {
        if (exit_code !== null && (await recorded?.isOwn(command.id)) === false) {
          throw new RequestError('conflict', `Another server has ended the command ${command.id}.`);
        }
        return publish({ ...stamp(), command_id: command.id, order, exit_code, stdout, stderr, kind: 'BashOutput' });
      },
    async subscribe(listener: BashListener): Promise<Disposable> {
      const entry = { listener };
      listeners.add(entry);
      return { [Symbol.dispose]: () => void listeners.delete(entry) };
    },
  };
}

/** Returns the last output of a command whose process ended; undefined if it has one, or the command was removed. */
async function unknownEnd(
  store: BashEventStore,
  id: string,
): Promise<Omit<BashOutput, 'id' | 'timestamp'> | undefined> {
  const names = await store.names();
  if (!names.some((name) => name.endsWith(`_BashCommand_${id}`))) return undefined;
  const outputs = names.filter((name) => parseName(name)?.commandId === id);
  const lastName = outputs.at(-1);
  const last = lastName === undefined ? undefined : await readEvent(store, lastName);
  if (last?.kind === 'BashOutput' && last.exit_code !== null) return undefined;
  const stderr = '\n[The server of the command ended. The outcome of the command is unknown.]\n';
  return { command_id: id, order: outputs.length, exit_code: unknownCode, stdout: null, stderr, kind: 'BashOutput' };
}

async function eventsOf(store: BashEventStore, ids: readonly string[]): Promise<readonly (BashEvent | undefined)[]> {
  const names = new Map((await store.names()).map((name) => [parseName(name)?.id, name]));
  return Promise.all(
    ids.map(async (id) => {
      const name = names.get(id);
      return name === undefined ? undefined : readEvent(store, name);
    }),
  );
}

/** Returns a source of ids and of increasing timestamps, so that names have the order of events. */
function clock(now: () => number): () => Pick<BashEvent, 'id' | 'timestamp'> {
  let last = 0;
  return () => {
    last = Math.max(last + 1, now() * 1000);
    return { id: randomUUID().replaceAll('-', ''), timestamp: timestampOf(last) };
  };
}
