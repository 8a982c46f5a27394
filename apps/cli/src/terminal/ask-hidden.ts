import { createInterface } from 'node:readline';
import { Writable } from 'node:stream';
import type { TerminalIo } from './terminal-io.ts';

/** Asks on stderr, and resolves to a line that is typed without an echo; undefined if the input ends first. */
export async function askHidden({ stdin, stderr }: TerminalIo, question: string): Promise<string | undefined> {
  stderr.partial(question);
  const silent = new Writable({ write: (_chunk, _encoding, done) => done() });
  const lines = createInterface({ input: stdin, output: silent, terminal: true });
  try {
    return await new Promise((resolve) => {
      lines.once('close', () => resolve(undefined));
      lines.question('', resolve);
      // Without a handler, Ctrl-C closes the interface, which resolves to undefined.
    });
  } finally {
    lines.close();
    stderr.line('');
  }
}
