import type { WaitEnd } from './session/wait-queue.ts';
import type { ShellSession } from './session/shell-session.ts';

const steps: readonly { readonly act: (session: ShellSession) => void; readonly waitMs: number }[] = [
  { act: (session) => session.interrupt(), waitMs: 150 },
  // The first C-c reaches only the shell when it arrives while the shell starts a program.
  { act: (session) => session.interrupt(), waitMs: 150 },
  { act: (session) => session.signal('SIGTERM'), waitMs: 200 },
  { act: (session) => session.signal('SIGKILL'), waitMs: 150 },
  { act: (session) => session.kill(), waitMs: 150 },
];

/**
 * Ends the running command within 0.8 s: C-c, C-c again, SIGTERM and SIGKILL to the program in the foreground, and at
 * last SIGKILL to the shell. Returns `late` only when the shell did not end either.
 */
export async function escalateInterrupt(session: ShellSession): Promise<WaitEnd> {
  for (const { act, waitMs } of steps) {
    act(session);
    const end = await session.wait({ lateMs: waitMs });
    if (end !== 'late') return end;
  }
  return 'late';
}
