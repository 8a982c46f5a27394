import { Readable, Writable } from 'node:stream';
import { runProgram } from '../program.ts';
import type { Session } from '../session/session.ts';

/** Runs a command of the program, and adds what it prints to the transcript. */
export async function runCaptured(args: readonly string[], { io, screen, options }: Session): Promise<void> {
  let printed = '';
  const write = (chunk: Buffer, _encoding: BufferEncoding, done: () => void): void => {
    printed += chunk.toString();
    done();
  };
  const output = Object.assign(new Writable({ write }), { isTTY: true, columns: screen.columns, rows: 1000 });
  const { store } = options;
  await runProgram([...args, ...(store === undefined ? [] : ['--store', store])], {
    env: { ...io.env, NO_COLOR: '1', TERM: 'dumb' },
    cwd: io.cwd,
    stdin: Readable.from([]),
    stdout: output,
    stderr: output,
  });
  screen.print(printed.trimEnd());
}

/** Returns the id of the conversation, or prints that there is none yet. */
export function storedId({ conversation, screen }: Session): string | undefined {
  if (!conversation) screen.print('There is no conversation yet: send a message first.', 'yellow');
  return conversation?.id;
}
