import { Readable, Writable } from 'node:stream';
import type { Conversation } from '@varve/agent';
import { runCommandLine } from '../../command-line/command-line.ts';
import type { Session } from '../session.ts';
import type { SessionCommand } from '../session-command.ts';

/** Runs a command of the program, and adds what it prints to the transcript. */
export async function runCaptured(args: readonly string[], { io, screen, options, commands }: Session): Promise<void> {
  let printed = '';
  const write = (chunk: Buffer, _encoding: BufferEncoding, done: () => void): void => {
    printed += chunk.toString();
    done();
  };
  const output = Object.assign(new Writable({ write }), { isTTY: true, columns: screen.columns, rows: 1000 });
  const { store } = options;
  const streams = {
    // Not every command has an option for the store.
    env: { ...io.env, NO_COLOR: '1', TERM: 'dumb', ...(store !== undefined && { VARVE_STORE: store }) },
    cwd: io.cwd,
    stdin: Readable.from([]),
    stdout: output,
    stderr: output,
  };
  await runCommandLine(args, streams, { commands });
  screen.print(printed.trimEnd());
}

/** Returns the id of the conversation, or prints that none exists yet. */
export function storedId({ id, screen }: Session): string | undefined {
  if (id === undefined) screen.print('There is no conversation yet: send a message first.', 'yellow');
  return id;
}

/** Command that runs on a conversation of a session. */
interface ConversationCommand extends Omit<SessionCommand, 'run'> {
  readonly run: (conversation: Conversation, session: Session, argument: string) => ReturnType<SessionCommand['run']>;
}

/** Creates a command that prints, without a conversation, that none exists yet or that another window works on it. */
export function onConversation({ run, ...command }: ConversationCommand): SessionCommand {
  return {
    ...command,
    async run(session, argument) {
      const { conversation, screen } = session;
      if (conversation) await run(conversation, session, argument);
      else if (storedId(session) !== undefined) screen.print('It is read-only in this window.', 'yellow');
    },
  };
}
