import { addAgentOptions } from './agent-options.ts';
import type { Command } from 'commander';
import type { EventStore } from '@varve/storage';
import { CliError } from '../failures/cli-error.ts';
import type { CliCommand, Commands } from '../command-line/cli-command.ts';
import { chooseConversation, lastConversation } from '../conversations/choose-conversation.ts';
import { exitCodes, type ExitCode } from '../failures/exit-codes.ts';
import type { RunOptions } from '../opening/run-options.ts';
import { openExistingStore } from '../home/open-configured-store.ts';
import { resolveId } from '../home/resolve-id.ts';
import type { TerminalIo } from '../terminal/terminal-io.ts';

/** Options of the interactive session. */
interface SessionOptions extends Omit<RunOptions, 'resume'> {
  readonly continue?: true;
  /** Id, or true for a choice. */
  readonly resume?: string | true;
  /** First message. */
  readonly message?: string | undefined;
}

/** Opens the interactive session: the command without a name. */
export const session: CliCommand = (parent, io, done, commands) => {
  withOptions(parent.command('session', { isDefault: true, hidden: true }).argument('[message]', 'the first message'))
    .description('Work with an agent in the terminal.')
    .option('-c, --continue', 'continue the last conversation of this directory')
    .option('--resume [id]', 'continue a conversation; without an id, choose one')
    .action(async (message: string | undefined, options: SessionOptions) =>
      done(await startSession({ ...options, message }, io, commands)),
    );
};

/** Continues a conversation in the interactive session. */
export const resume: CliCommand = (parent, io, done, commands) => {
  withOptions(
    parent
      .command('resume')
      .argument('[id]', 'the conversation, or the first characters of its id; without it, choose one')
      .argument('[message]', 'the next message')
      .description('Continue a conversation in the terminal.'),
  ).action(async (id: string | undefined, message: string | undefined, options: SessionOptions) =>
    done(await startSession({ ...options, resume: id ?? true, message }, io, commands)),
  );
};

function withOptions(command: Command): Command {
  return addAgentOptions(command, {
    workspace: 'directory of the agent (default: current directory)',
  }).option('--sign', 'sign the log with the key that `varve key` created');
}

/** Commands of the program whose output a session shows. */
const sessionCommands = new Set(['ls', 'show', 'context', 'cost', 'export', 'permissions', 'config', 'mcp']);

async function startSession(options: SessionOptions, io: TerminalIo, commands: Commands): Promise<ExitCode> {
  const { continue: isContinued, resume: resumed, message, ...rest } = options;
  // Loaded here, so that other commands start faster.
  const [{ runSession }, { slashCommands }] = await Promise.all([
    import('../screen/run-session.ts'),
    import('../screen/slash/slash-commands.ts'),
  ]);
  const id = isContinued || resumed !== undefined ? await idOf(options, io) : undefined;
  if (resumed === true && id === undefined) return exitCodes.interrupted;
  const program = Object.fromEntries(Object.entries(commands).filter(([name]) => sessionCommands.has(name)));
  const available = { slash: slashCommands, program, message };
  const code = await runSession({ ...rest, ...(id !== undefined && { resume: id }) }, available, io);
  if (code !== undefined) return code;
  const hint = '`varve run` works without one, and `varve run --resume ID` continues a conversation.';
  throw new CliError(exitCodes.usage, 'The interactive session needs a terminal.', hint);
}

/** Returns the id of the conversation to continue; undefined if the person chooses none. */
async function idOf(options: SessionOptions, io: TerminalIo): Promise<string | undefined> {
  const { store: url, resume: resumed, workspace } = options;
  await using store = await openExistingStore(io, url);
  if (options.continue) return await lastId(store, workspace ?? io.cwd);
  if (typeof resumed === 'string') return await resolveId(store, resumed);
  const { chooseOnScreen } = await import('../screen/choose-on-screen.ts');
  return await chooseConversation(store, io, async (choice) => chooseOnScreen(choice, io));
}

async function lastId(store: EventStore, directory: string): Promise<string> {
  const id = await lastConversation(store, directory);
  if (id !== undefined) return id;
  const hint = '`varve --resume` offers those of all directories.';
  throw new CliError(exitCodes.missing, 'There is no conversation of this directory.', hint);
}
