import { spawn } from 'node:child_process';
import { once } from 'node:events';
import { tmpdir } from 'node:os';
import { join } from 'node:path';
import { createInterface } from 'node:readline';

/** Another Node process that runs a module. */
export interface Child extends AsyncDisposable {
  /** The next line that it prints. Fails when it ends before. */
  line(): Promise<string>;
  /** All further lines, until it ends. */
  rest(): Promise<readonly string[]>;
  tell(line: string): void;
  /** Sends a signal. */
  signal(name: NodeJS.Signals): void;
  /** Kills it without warning and resolves when it is gone. */
  kill(): Promise<void>;
}

/** What is imported behind it is compiled once for all children: compiling is most of what they cost. */
const cached = `
  import { enableCompileCache, flushCompileCache } from 'node:module';
  enableCompileCache(${JSON.stringify(join(tmpdir(), 'varve-compiled'))});`;

/**
 * Runs `source`, an ECMAScript module that imports packages as this package may. One that is to be killed calls
 * `flushCompileCache()`, so that others start faster. Before it a shell does what `limit` says, if anything. Disposing
 * kills.
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
    tell: (line) => void started.stdin.write(`${line}\n`),
    signal: (name) => void started.kill(name),
    kill,
    [Symbol.asyncDispose]: kill,
  };
}
