import { addAgentOptions } from './agent-options.ts';
import type { Command } from 'commander';
import { CliError } from '../failures/cli-error.ts';
import type { CliCommand, Commands } from '../command-line/cli-command.ts';
import { chooseConversation, lastConversation } from '../conversations/choose-conversation.ts';
import { exitCodes, type ExitCode } from '../failures/exit-codes.ts';
import type { RunOptions } from '../opening/run-options.ts';
import { openExistingStore } from '../home/open-configured-store.ts';
import type { TerminalIo } from '../terminal/terminal-io.ts';

/** Options of the interactive session. */
interface SessionOptions extends Omit<RunOptions, 'resume'> {
  readonly continue?: true;
  /** Id, or true for a choice. */
  readonly resume?: string | true;
}

/** Opens the interactive session: the command without a name. */
export const session: CliCommand = {
  register(parent, io, done, commands) {
    withOptions(parent.command('session', { isDefault: true, hidden: true }))
      .description('Work with an agent in the terminal.')
      .option('-c, --continue', 'continue the last conversation of this directory')
      .option('--resume [id]', 'continue a conversation; without an id, choose one')
      .action(async (options: SessionOptions) => done(await startSession(options, io, commands)));
  },
};

/** Continues a conversation in the interactive session. */
export const resume: CliCommand = {
  register(parent, io, done, commands) {
    withOptions(
      parent
        .command('resume')
        .argument('[id]', 'the conversation, or the first characters of its id; without it, choose one')
        .description('Continue a conversation in the terminal.'),
    ).action(async (id: string | undefined, options: SessionOptions) =>
      done(await startSession({ ...options, resume: id ?? true }, io, commands)),
    );
  },
};

function withOptions(command: Command): Command {
  return addAgentOptions(command, {
    workspace: 'directory of the agent (default: current directory)',
  }).option('--sign', 'sign the log with the key that `varve key` created');
}

/** Commands of the program whose output a session shows. */
const sessionCommands = new Set(['ls', 'show', 'context', 'export', 'permissions', 'config', 'mcp']);

async function startSession(options: SessionOptions, io: TerminalIo, commands: Commands): Promise<ExitCode> {
  const { continue: isContinued, resume: resumed, ...rest } = options;
  // Loaded here, so that other commands start faster.
  const [{ runSession }, { slashCommands }] = await Promise.all([
    import('../screen/run-session.ts'),
    import('../screen/slash/slash-commands.ts'),
  ]);
  const id = isContinued ? await lastId(options, io) : resumed === true ? await chosenId(options, io) : resumed;
  if (resumed === true && id === undefined) return exitCodes.interrupted;
  const program = Object.fromEntries(Object.entries(commands).filter(([name]) => sessionCommands.has(name)));
  const available = { slash: slashCommands, program };
  const code = await runSession({ ...rest, ...(id !== undefined && { resume: id }) }, available, io);
  if (code !== undefined) return code;
  const hint = '`varve run` works without one, and `varve run --resume ID` continues a conversation.';
  throw new CliError(exitCodes.usage, 'The interactive session needs a terminal.', hint);
}

async function lastId({ store: url, workspace }: SessionOptions, io: TerminalIo): Promise<string> {
  await using store = await openExistingStore(io, url);
  const id = await lastConversation(store, workspace ?? io.cwd);
  if (id !== undefined) return id;
  const hint = '`varve --resume` offers those of all directories.';
  throw new CliError(exitCodes.missing, 'There is no conversation of this directory.', hint);
}

async function chosenId({ store: url }: SessionOptions, io: TerminalIo): Promise<string | undefined> {
  const { chooseOnScreen } = await import('../screen/choose-on-screen.ts');
  await using store = await openExistingStore(io, url);
  return chooseConversation(store, io, async (choice) => chooseOnScreen(choice, io));
}
