import type { IPty } from '@lydell/node-pty';
import { foregroundGroup, sendSignal } from '../../processes/signals.ts';
import { shellCommand, shellId } from './start-shell.ts';
import type { ShellBackend, ShellProcess, ShellProcessOptions } from './shell-process.ts';

const killLine = '\u0015';
const interruptKey = '\u0003';

/**
 * Returns the backend that runs bash on a pseudo terminal: programs see a terminal, each job has its own process group,
 * and the kernel hangs up the shell when this process dies. Undefined when the library has no binary for this machine.
 */
export async function ptyBackend(): Promise<ShellBackend | undefined> {
  const library = await import('@lydell/node-pty').catch(() => undefined);
  if (library === undefined) return undefined;
  return {
    name: 'pty',
    start(options) {
      const { program, args, env } = shellCommand(options);
      const pty = library.spawn(program, [...args], {
        name: 'xterm-256color',
        cols: 200,
        rows: 50,
        cwd: options.directory,
        env: { ...env },
        encoding: null,
      });
      return ptyProcess(pty, options);
    },
  };
}

function ptyProcess(pty: IPty, options: ShellProcessOptions): ShellProcess {
  const { onData, onExit } = options;
  const id = shellId(pty.pid, options);
  let alive = true;
  const foreground = foregroundGroups(pty.pid);
  // Without an encoding the library passes bytes, although its types declare strings.
  pty.onData((bytes: string | Buffer) => onData(typeof bytes === 'string' ? Buffer.from(bytes) : bytes));
  pty.onExit(({ exitCode, signal }) => {
    alive = false;
    foreground.kill();
    onExit(signal ? 128 + signal : exitCode);
  });
  const write = (text: string): boolean => {
    if (alive) pty.write(text);
    return alive;
  };
  const signal = (name: 'SIGTERM' | 'SIGKILL'): void => {
    const group = alive ? foregroundGroup(pty.pid) : undefined;
    // The shell leads its own group, which is in the foreground while no program is.
    if (group !== undefined && group !== id()) sendSignal(-group, name);
  };
  return {
    get pid() {
      return id();
    },
    tty: true,
    // Replies to terminal queries that no program has read may precede the cursor.
    submit: (line) => void write(`${killLine}${line}\n`),
    type: write,
    interrupt: () => void write(interruptKey),
    signal,
    kill() {
      if (!alive) return;
      foreground.remember();
      // The shell first, so that it does not continue with the next statement.
      sendSignal(pty.pid, 'SIGKILL');
      foreground.kill();
    },
    hangUp() {
      if (!alive) return;
      foreground.remember();
      sendSignal(id(), 'SIGHUP');
    },
  };
}

/**
 * Returns a record of foreground programs of a shell that is being ended: they may ignore the hangup and keep running.
 */
function foregroundGroups(pid: number): { readonly remember: () => void; readonly kill: () => void } {
  const groups = new Set<number>();
  return {
    remember() {
      const group = foregroundGroup(pid);
      if (group !== undefined) groups.add(group);
    },
    kill() {
      for (const group of groups) sendSignal(-group, 'SIGKILL');
    },
  };
}
