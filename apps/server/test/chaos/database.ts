import { execFileSync, spawn } from 'node:child_process';
import { once } from 'node:events';
import { chownSync, mkdtempSync, rmSync } from 'node:fs';
import { tmpdir } from 'node:os';
import { join } from 'node:path';
import { createInterface } from 'node:readline';
import { freePort, programs, unprivileged } from '../../../../packages/storage-postgres/test/server.ts';

/** A PostgreSQL server that fails when it is asked to. */
export interface FailingDatabase extends AsyncDisposable {
  readonly url: string;
  /** False if this machine has no namespaces, in which the server gets a small file system of its own. */
  readonly canFill: boolean;
  /** Ends the server, without a checkpoint if it is `immediate`, and starts it again. */
  restart(mode: 'fast' | 'immediate'): Promise<void>;
  /** Leaves no space on the file system of the server. */
  fill(): Promise<void>;
  /** Frees the space, and starts the server if it has ended. */
  free(): Promise<void>;
}

const size = '512m';
const password = 'of-the-database';

/** Mounts a file system in memory at the directory `$1`, as the user 1000: PostgreSQL refuses to run as root. */
const inNamespace = `mount -t tmpfs -o size=${size},mode=700 tmpfs "$1" && exec unshare --user --map-user=1000 --map-group=1000 sh -c "$2" sh "$@"`;

/** Starts a server in the directory `$1`, with the programs in `$3` and the options `$4`, and obeys lines. */
const serve = `
cd "$1" || exit
programs=$3 options=$4
start() { "$programs/pg_ctl" -D data -s -w -t 90 -l log -o "$options" start 2>> log; }
printf ${password} > password
"$programs/initdb" -D data -E UTF8 --locale=C -U owner -A scram-sha-256 --pwfile=password --no-sync > log || exit
start || { cat log >&2; exit 1; }
echo ready
while read -r command; do
  case $command in
    fill) cat /dev/zero > ballast 2> /dev/null ;;
    free) rm -f ballast; "$programs/pg_ctl" -D data status > /dev/null || start ;;
    *) "$programs/pg_ctl" -D data -s -w -t 90 -l log -m "$command" restart 2>> log ;;
  esac
  echo "$command"
done
"$programs/pg_ctl" -D data -s -m immediate stop`;

const namespaces = ['--user', '--map-root-user', '--mount', '--pid', '--fork', '--kill-child'];

/** Starts a server with its files in memory, which ends with this process. */
export async function failingDatabase(): Promise<FailingDatabase> {
  const canFill = hasNamespaces();
  const user = canFill ? {} : unprivileged();
  const directory = mkdtempSync(join(tmpdir(), 'varve-chaos-'));
  if (user.uid !== undefined && user.gid !== undefined) chownSync(directory, user.uid, user.gid);
  const port = await freePort();
  const options = { listen_addresses: '127.0.0.1', port, max_connections: 200, fsync: 'off', max_wal_size: '64MB' };
  const flags = Object.entries(options).map(([name, value]) => `-c ${name}=${value}`);
  const script = ['sh', '-c', canFill ? inNamespace : serve, 'sh', directory, serve, programs ?? ''];
  const all = [...script, `${flags.join(' ')} -c unix_socket_directories=`];
  const [program = '', ...args] = canFill ? ['unshare', ...namespaces, ...all] : all;
  const shell = spawn(program, args, { ...user, cwd: '/', stdio: ['pipe', 'pipe', 'inherit'] });
  const exited = once(shell, 'exit');
  const lines = createInterface(shell.stdout)[Symbol.asyncIterator]();
  if ((await lines.next()).value !== 'ready') throw new Error('The database did not start.');
  let last = Promise.resolve();
  const obey = async (before: Promise<void>, line: string): Promise<void> => {
    await before;
    shell.stdin.write(`${line}\n`);
    if ((await lines.next()).value !== line) throw new Error(`The database ended before ${line}.`);
  };
  const command = async (line: string): Promise<void> => (last = obey(last, line));
  return {
    url: `postgres://owner:${password}@127.0.0.1:${port}/postgres?schema=varve`,
    canFill,
    restart: command,
    fill: async () => command('fill'),
    free: async () => command('free'),
    async [Symbol.asyncDispose]() {
      shell.stdin.end();
      await exited;
      rmSync(directory, { recursive: true, force: true });
    },
  };
}

function hasNamespaces(): boolean {
  try {
    execFileSync('unshare', [...namespaces, 'true'], { stdio: 'ignore' });
    return true;
  } catch {
    return false;
  }
}
