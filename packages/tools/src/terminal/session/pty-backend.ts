import type { IPty } from '@lydell/node-pty';
import { foregroundGroup, sendSignal } from '../../processes/signals.ts';
import type { ShellBackend, ShellProcess, ShellProcessOptions } from './shell-process.ts';

const killLine = '\u0015';
const interruptKey = '\u0003';

/**
 * A bash behind a pseudo terminal: programs see a terminal, jobs have groups of their own, and the kernel hangs up the
 * shell when this process dies. Undefined when the library has no binary for this machine.
 */
export async function ptyBackend(): Promise<ShellBackend | undefined> {
  const library = await import('@lydell/node-pty').catch(() => undefined);
  if (library === undefined) return undefined;
  return {
    name: 'pty',
    start(options) {
      const pty = library.spawn(options.shell, ['--noprofile', '--rcfile', options.startupFile, '--noediting', '-i'], {
        name: 'xterm-256color',
        cols: 200,
        rows: 50,
        cwd: options.directory,
        env: { ...options.environment },
        encoding: null,
      });
      return ptyProcess(pty, options);
    },
  };
}

function ptyProcess(pty: IPty, { onData, onExit }: ShellProcessOptions): ShellProcess {
  let alive = true;
  const left = foregroundLeft(pty.pid);
  // Without an encoding the library hands over bytes, although its types say text.
  pty.onData((bytes: string | Buffer) => onData(typeof bytes === 'string' ? Buffer.from(bytes) : bytes));
  pty.onExit(({ exitCode, signal }) => {
    alive = false;
    left.kill();
    onExit(signal ? 128 + signal : exitCode);
  });
  const write = (text: string): boolean => {
    if (alive) pty.write(text);
    return alive;
  };
  const signal = (name: 'SIGTERM' | 'SIGKILL'): void => {
    const group = alive ? foregroundGroup(pty.pid) : undefined;
    // The shell leads a group of its own, which is in the foreground while no program is.
    if (group !== undefined && group !== pty.pid) sendSignal(-group, name);
  };
  return {
    pid: pty.pid,
    tty: true,
    // Answers to terminal queries that no program read may stand before the cursor.
    submit: (line) => void write(`${killLine}${line}\n`),
    type: write,
    interrupt: () => void write(interruptKey),
    signal,
    kill() {
      if (!alive) return;
      left.remember();
      // The shell first, so that it does not go on with the next statement.
      sendSignal(pty.pid, 'SIGKILL');
      left.kill();
    },
    hangUp() {
      if (!alive) return;
      left.remember();
      sendSignal(pty.pid, 'SIGHUP');
    },
  };
}

/** The programs in the foreground of a shell that is asked to end: they may ignore that and stay. */
function foregroundLeft(pid: number): { readonly remember: () => void; readonly kill: () => void } {
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
