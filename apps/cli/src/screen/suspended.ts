import type { TUI } from '@earendil-works/pi-tui';
import type { Job } from '../terminal/job.ts';

/** Lets the terminal go while another program uses it. */
export async function suspended<T>(tui: TUI, use: () => Promise<T>): Promise<T> {
  tui.stop();
  try {
    return await use();
  } finally {
    drawAgain(tui);
  }
}

/** Stops the program, as Ctrl-Z does, until the shell continues it. */
export function stopJob(tui: TUI, job: Pick<Job, 'signal'>): void {
  tui.stop();
  process.once('SIGCONT', () => drawAgain(tui));
  job.signal('SIGTSTP');
}

function drawAgain(tui: TUI): void {
  tui.start();
  tui.requestRender(true);
}
