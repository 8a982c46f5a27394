import { execFileSync, spawn } from 'node:child_process';
import { once } from 'node:events';
import { chownSync, existsSync, globSync, mkdirSync, mkdtempSync, writeFileSync } from 'node:fs';
import { createServer, Socket, type AddressInfo } from 'node:net';
import { tmpdir, userInfo } from 'node:os';
import { join } from 'node:path';
import { createInterface } from 'node:readline';
import { Client } from 'pg';
import { createCertificate } from './certificates.ts';

/** Password of the owner, with characters that a URL has to escape. */
export const password = 'pä ss/w:rd@1';

/** Directory of the programs of a PostgreSQL server on this machine, the newest first; Debian's are not in PATH. */
function findPrograms(): string | undefined {
  const debian = globSync('/usr/lib/postgresql/*/bin').toSorted((a, b) => versionOf(b) - versionOf(a));
  const places = [...debian, ...(process.env['PATH'] ?? '').split(':')];
  return places.find((place) => ['initdb', 'postgres'].every((program) => existsSync(join(place, program))));
}

function versionOf(place: string): number {
  return Number(/\d+/.exec(place)?.[0]);
}

/** Directory of the programs of PostgreSQL; `undefined` without one. */
export const programs = findPrograms();

/** Reason why no server can be started here; `undefined` if there is one. */
export const problem =
  process.env['VARVE_TEST_POSTGRES'] === undefined && programs === undefined
    ? 'Neither VARVE_TEST_POSTGRES nor a PostgreSQL server is installed.'
    : undefined;

/** A server of this process. */
export interface Server {
  /** URL of its owner, with password and without parameters. */
  readonly url: string;
  /** File of the authority that signed its certificate for 127.0.0.1; absent for a server that was not started here. */
  readonly authority?: string;
}

let started: Promise<Server> | undefined;

/** Returns the server of the tests, which is started once per process and ends with it. */
export async function testServer(): Promise<Server> {
  const url = process.env['VARVE_TEST_POSTGRES'];
  started ??= url === undefined ? startServer() : Promise.resolve({ url });
  return started;
}

let schemas = 0;

/** Returns a URL of the tests' database with a new schema. */
export async function freshUrl(): Promise<string> {
  const { url } = await testServer();
  return `${url}?schema=test_${process.pid}_${(schemas += 1)}`;
}

/** Runs SQL as the owner of the database, in the schema of a URL. */
export async function runSql(url: string, sql: string): Promise<void> {
  await using client = await connectedClient(url);
  await client.query(sql);
}

/** Ends all leases in the schema of a URL, or one, as if their processes had ended long ago. */
export async function expireLeases(url: string, id?: string): Promise<void> {
  const which = id === undefined ? 'lease_until IS NOT NULL' : `id = '${id}'`;
  await runSql(url, `UPDATE conversation SET lease_holder = 'ended', lease_until = 0 WHERE ${which}`);
}

/** Returns the number of rows of a table in the schema of a URL. */
export async function countRows(url: string, table: string): Promise<number> {
  await using client = await connectedClient(url);
  const { rows }: { readonly rows: readonly Record<string, unknown>[] } = await client.query(
    `SELECT count(*) AS count FROM ${table}`,
  );
  return Number(rows[0]?.['count']);
}

/** Updates of the rows of conversations, all and those that changed an index, as reported by closed connections. */
export async function countUpdates(url: string): Promise<{ readonly all: number; readonly indexed: number }> {
  await using client = await connectedClient(url);
  const { rows }: { readonly rows: readonly Record<string, unknown>[] } = await client.query(
    `SELECT n_tup_upd, n_tup_hot_upd FROM pg_stat_user_tables WHERE relid = 'conversation'::regclass`,
  );
  const all = Number(rows[0]?.['n_tup_upd']);
  return { all, indexed: all - Number(rows[0]?.['n_tup_hot_upd']) };
}

/** Connects the owner of the database to the schema of a URL. */
export async function connectedClient(url: string) {
  const { searchParams } = new URL(url);
  const client = new Client({ connectionString: url.replace(/\?.*/, '') });
  await client.connect();
  await client.query(`SET search_path = "${searchParams.get('schema') ?? 'public'}"`);
  return Object.assign(client, { [Symbol.asyncDispose]: async () => client.end() });
}

/** Owner of the server's files: it refuses to run as root. */
export function unprivileged(): { readonly uid?: number; readonly gid?: number } {
  if (userInfo().uid !== 0) return {};
  for (const name of ['postgres', 'nobody']) {
    try {
      const idOf = (kind: string): number => Number(execFileSync('id', [kind, name], { stdio: 'pipe' }));
      return { uid: idOf('-u'), gid: idOf('-g') };
    } catch {
      // The next one.
    }
  }
  throw new Error('There is no user who can run PostgreSQL.');
}

/** Runs a server until its input ends, which happens when this process ends for any reason, then removes its files. */
const untilInputEnds = '"$0" "$@" 2>&1 & cat > /dev/null; kill -INT $!; wait; rm -rf "$PWD"';

/** Starts a server with more settings, which ends with this process. */
export async function startServer(more: Readonly<Record<string, string>> = {}): Promise<Server> {
  const user = unprivileged();
  const directory = mkdtempSync(join(tmpdir(), 'varve-postgres-'));
  const data = join(directory, 'data');
  mkdirSync(data);
  const secret = join(directory, 'password');
  writeFileSync(secret, password);
  const { authority, certificate, key } = createCertificate(directory);
  if (user.uid !== undefined && user.gid !== undefined) {
    for (const path of [directory, data, secret, key]) chownSync(path, user.uid, user.gid);
  }
  const initdb = ['-D', data, '-E', 'UTF8', '--locale=C', '-U', 'owner', '-A', 'scram-sha-256', `--pwfile=${secret}`];
  execFileSync(join(programs ?? '', 'initdb'), [...initdb, '--no-sync'], { ...user, cwd: directory, stdio: 'pipe' });
  const port = await freePort();
  const settings = { listen_addresses: '127.0.0.1', port, unix_socket_directories: directory, max_connections: 200 };
  // Tests kill processes, not the machine.
  const tls = { ssl: 'on', ssl_cert_file: certificate, ssl_key_file: key };
  const all = { ...settings, ...tls, fsync: 'off', log_min_messages: 'warning', max_wal_size: '64MB', ...more };
  const flags = Object.entries(all).flatMap(([name, value]) => ['-c', `${name}=${value}`]);
  const args = ['-c', untilInputEnds, join(programs ?? '', 'postgres'), '-D', data, ...flags];
  const server = spawn('sh', args, { ...user, cwd: directory, stdio: ['pipe', 'pipe', 'inherit'] });
  await ready(server.stdout, port);
  server.unref();
  // Otherwise its pipes keep this process alive.
  for (const pipe of [server.stdin, server.stdout]) if (pipe instanceof Socket) pipe.unref();
  return { url: `postgres://owner:${encodeURIComponent(password)}@127.0.0.1:${port}/postgres`, authority };
}

async function ready(output: NodeJS.ReadableStream, port: number): Promise<void> {
  const lines: string[] = [];
  for await (const line of createInterface(output)) {
    lines.push(line);
    if (line.includes('ready to accept connections')) {
      output.resume();
      return;
    }
  }
  throw new Error(`PostgreSQL did not start on port ${port}: ${lines.join('\n')}`);
}

/** Returns a port of this machine that nothing uses. */
export async function freePort(): Promise<number> {
  const server = createServer().listen(0, '127.0.0.1');
  await once(server, 'listening');
  const { port } = server.address() as AddressInfo;
  server.close();
  await once(server, 'close');
  return port;
}
