import { spawn, type ChildProcess } from 'node:child_process';
import { once } from 'node:events';
import { mkdtempSync, rmSync } from 'node:fs';
import { tmpdir } from 'node:os';
import { basename, dirname, join } from 'node:path';
import { createInterface } from 'node:readline';
import { Readable } from 'node:stream';
import { appMain } from '../../../tests/app-main.ts';
import { freePort } from '../../../packages/storage-postgres/test/server.ts';
import { startBalancer, type Balance } from './balancer.ts';

const main = appMain('server');
const clock = join(import.meta.dirname, 'skewed-clock.ts');

/** Key of all replicas. */
export const key = 'key-of-the-replicas';

/** One server of a group. */
export interface ReplicaProcess {
  readonly url: string;
  /** Name that the database knows. */
  readonly name: string;
  readonly process: ChildProcess;
  /** Sends a request and returns its response. */
  send(method: string, path: string, body?: unknown): Promise<Response>;
  /** As `send`, and returns the JSON of a successful response. */
  json<Result = Record<string, unknown>>(method: string, path: string, body?: unknown): Promise<Result>;
  /** Sets its clock off by some milliseconds. */
  skewClock(ms: number): void;
  /** Kills it, and resolves when it has ended. */
  kill(): Promise<void>;
}

/** Servers of one store, and an address at which each request reaches the next live one. */
export interface ReplicaGroup extends AsyncDisposable {
  readonly directory: string;
  readonly replicas: ReplicaProcess[];
  /** URL of the balancer. */
  readonly url: string;
  /** Starts another replica. */
  add(): Promise<ReplicaProcess>;
  /** Stops a replica regularly, and starts it again with its port. */
  restart(replica: ReplicaProcess): Promise<void>;
  /** Returns those that clients reach. */
  live(): readonly ReplicaProcess[];
  /** Stops a replica, and ends the connections of its clients. */
  pause(replica: ReplicaProcess): void;
  resume(replica: ReplicaProcess): void;
  /** Ends the connections of the clients of a replica. */
  disconnect(replica: ReplicaProcess): void;
}

/** Options of {@link replicaGroup}. */
export interface GroupOptions {
  /** Starts what clients connect to. */
  readonly balance?: Balance | undefined;
  /** More variables of the replicas. */
  readonly env?: NodeJS.ProcessEnv;
  /** Starts what a replica is reached through by the others; default nothing. */
  readonly link?: ((port: number) => Promise<{ readonly port: number }>) | undefined;
}

/** Starts replicas of the program on a store, and a balancer. The database knows a replica by the name of its home. */
export async function replicaGroup(
  storeUrl: string,
  count: number,
  { balance = startBalancer, env = {}, link = async (port) => ({ port }) }: GroupOptions = {},
): Promise<ReplicaGroup> {
  const directory = mkdtempSync(join(tmpdir(), 'varve-replicas-'));
  const replicas: ReplicaProcess[] = [];
  let started = 0;
  const start = async (port: number): Promise<ReplicaProcess> => {
    const name = `home-${(started += 1)}`;
    const url = `${storeUrl}&application_name=${name}`;
    const { port: reached } = await link(port);
    const args = ['--port', String(port), '--address', `http://127.0.0.1:${reached}`, '--store', url];
    return startServer(join(directory, name), args, env);
  };
  const add = async (): Promise<ReplicaProcess> => {
    const replica = await start(await freePort());
    replicas.push(replica);
    return replica;
  };
  await Promise.all(Array.from({ length: count }, add));
  const paused = new Set<ReplicaProcess>();
  const live = (): readonly ReplicaProcess[] =>
    replicas.filter((replica) => isRunning(replica) && !paused.has(replica));
  const balancer = await balance(live);
  return {
    directory,
    replicas,
    url: balancer.url,
    add,
    async restart(replica) {
      const ended = once(replica.process, 'exit');
      replica.process.kill();
      await ended;
      replicas.push(await start(Number(new URL(replica.url).port)));
    },
    live,
    pause(replica) {
      paused.add(replica);
      replica.process.kill('SIGSTOP');
      balancer.disconnect(replica);
    },
    resume(replica) {
      replica.process.kill('SIGCONT');
      paused.delete(replica);
    },
    disconnect: (replica) => balancer.disconnect(replica),
    async [Symbol.asyncDispose]() {
      await balancer[Symbol.asyncDispose]();
      await Promise.all(replicas.map(async (replica) => replica.kill()));
      rmSync(directory, { recursive: true, force: true });
    },
  };
}

function isRunning({ process: { exitCode, signalCode } }: ReplicaProcess): boolean {
  return exitCode === null && signalCode === null;
}

/** Starts a server of the program with a home directory. */
export async function startServer(
  home: string,
  args: readonly string[],
  more: NodeJS.ProcessEnv = {},
): Promise<ReplicaProcess> {
  const { PATH, NODE_COMPILE_CACHE } = process.env;
  const env = {
    ...more,
    PATH,
    NODE_COMPILE_CACHE,
    HOME: home,
    // A killed replica leaves files.
    TMPDIR: dirname(home),
    VARVE_HOME: home,
    VARVE_SESSION_API_KEY: key,
    OH_SECRET_KEY: 'secret-of-the-replicas',
    VARVE_SANDBOX_PROFILE: 'off',
  };
  const child = spawn(
    process.execPath,
    ['--conditions=@varve/source', '--import', clock, main, ...args, '--log-level', 'error'],
    {
      env,
      stdio: ['ignore', 'ignore', 'pipe', 'ipc'],
    },
  );
  const exited = once(child, 'exit');
  const lines = createInterface(child.stderr ?? Readable.from([]));
  const output: string[] = [];
  const { promise: serves, resolve } = Promise.withResolvers<string>();
  lines.on('line', (line) => {
    output.push(line);
    const [url] = /http:\/\/127\.0\.0\.1:\d+/.exec(line) ?? [];
    if (url !== undefined) resolve(url);
  });
  const url = await Promise.race([
    serves,
    exited.then((): never => {
      throw new Error(`A server did not start: ${output.join('\n')}`);
    }),
  ]);
  const send: ReplicaProcess['send'] = async (method, path, body) => requested(url, method, path, body);
  return {
    url,
    name: basename(home),
    process: child,
    send,
    json: async (method, path, body) => jsonOf(await send(method, path, body), `${method} ${path}`),
    // One that has ended has no clock.
    skewClock: (ms) => void child.send(ms, () => {}),
    async kill() {
      child.kill('SIGKILL');
      child.kill('SIGCONT');
      await exited;
    },
  };
}

/** Sends a request with the key below `/api`. */
export async function requested(url: string, method: string, path: string, body?: unknown): Promise<Response> {
  return fetch(`${url}/api${path}`, {
    method,
    headers: { 'X-Session-API-Key': key, 'content-type': 'application/json' },
    ...(body !== undefined && { body: JSON.stringify(body) }),
  });
}

/** Returns the JSON of a successful response. */
export async function jsonOf<Result>(response: Response, title: string): Promise<Result> {
  const text = await response.text();
  if (!response.ok) throw new Error(`${title}: ${response.status} ${text}`);
  return JSON.parse(text) as Result;
}
