import { spawn } from 'node:child_process';
import { once } from 'node:events';
import { tmpdir } from 'node:os';
import { join } from 'node:path';
import { createInterface } from 'node:readline';

/** A Node process that runs a module. */
export interface Child extends AsyncDisposable {
  /** Returns the next line of its output. Fails if the process ends first. */
  line(): Promise<string>;
  /** Returns all further lines once it ends. */
  rest(): Promise<readonly string[]>;
  /** Writes a line to its input. */
  send(line: string): void;
  /** Sends a signal. */
  signal(name: NodeJS.Signals): void;
  /** Kills it with SIGKILL and resolves when it has ended. */
  kill(): Promise<void>;
}

/** Caches the compiled imports for all children, because compiling takes most of their time. */
const cached = `
  import { enableCompileCache, flushCompileCache } from 'node:module';
  enableCompileCache(${JSON.stringify(join(tmpdir(), 'varve-compiled'))});`;

/**
 * Starts a process that runs `source`, an ECMAScript module that may import what this package may import. A process
 * that will be killed should call `flushCompileCache()`, so that others start faster. `limit` is a shell command to run
 * first, such as `ulimit`. Disposing kills the process.
 */
export function child(source: string, limit?: string): Child {
  const options = ['--conditions=@varve/source', '--input-type=module', '--eval', `${cached}\n${source}`];
  const [command = '', ...args] = [
    ...(limit === undefined ? [] : ['sh', '-c', `${limit} && exec "$0" "$@"`]),
    process.execPath,
    ...options,
  ];
  const started = spawn(command, args, { cwd: import.meta.dirname, stdio: ['pipe', 'pipe', 'inherit'] });
  const exited = once(started, 'exit');
  const lines = createInterface(started.stdout)[Symbol.asyncIterator]();
  const kill = async (): Promise<void> => {
    started.kill('SIGKILL');
    await exited;
  };
  return {
    async line() {
      const { value, done } = await lines.next();
      if (done) throw new Error('The child ended.');
      return value;
    },
    rest: async () => Array.fromAsync({ [Symbol.asyncIterator]: () => lines }),
    send: (line) => void started.stdin.write(`${line}\n`),
    signal: (name) => void started.kill(name),
    kill,
    [Symbol.asyncDispose]: kill,
  };
}
