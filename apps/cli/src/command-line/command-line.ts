import { Command, CommanderError } from 'commander';
import { nameOf, refuseToAgents } from './agent-shell.ts';
import { appVersion } from '../home/app-file.ts';
import { withCommandName } from '../terminal/command-name.ts';
import { CliError } from '../failures/cli-error.ts';
import type { CliCommand, Commands } from './cli-command.ts';
import type { Failure } from '../home/describe-failure.ts';
import { exitCodes, type ExitCode } from '../failures/exit-codes.ts';
import { styled } from '../terminal/output.ts';
import { terminalIo, type Streams, type TerminalIo } from '../terminal/terminal-io.ts';

const footer = `
Environment:
  LLM_MODEL, LLM_API_KEY, LLM_BASE_URL   the model (else OPENAI_API_KEY, OPENAI_BASE_URL, OPENROUTER_API_KEY, …)
  VARVE_HOME                             varve's data directory (default ~/.varve)
  VARVE_STORE                            the store (default sqlite:$VARVE_HOME/varve.db)
  VARVE_SIGNING_KEY                      the key file of --sign (default $VARVE_HOME/signing-key.pem)
  OH_SECRET_KEY                          the passphrase of the secrets (default a key in $VARVE_HOME/secrets.key)
  NO_COLOR, FORCE_COLOR                  no colours, or always colours

Exit status:
  0 finished · 1 a bug in varve · 2 wrong usage · 3 model failed · 4 store failed · 5 no such conversation
  6 ended unfinished · 7 waiting for approval · 8 a question of the agent · 130 paused or interrupted

Examples:
  varve
  varve "Fix the failing test"
  varve --continue
  varve demo
  OPENAI_API_KEY=… varve run "Fix the failing test"
  varve run --base-url http://localhost:11434/v1 --model qwen3-coder "Explain this repository"
  OPENROUTER_API_KEY=… varve run --model openrouter/qwen/qwen3-coder "Write the missing tests"
  varve run --confirm ask "Upgrade the dependencies"
  varve ls
  varve show ID --json
  varve verify ID`;

/** Commands that an invocation may name. The files of a command are loaded when it is named. */
export interface CommandTable {
  readonly commands: Commands;
  /** The command without a name. */
  readonly defaultCommand?: () => Promise<CliCommand>;
}

/** Runs one invocation and resolves to its exit status. Errors of the user are printed; a bug rejects. */
export async function runCommandLine(
  args: readonly string[],
  streams: Streams,
  table: CommandTable,
): Promise<ExitCode> {
  const io = terminalIo(streams);
  let exitCode: ExitCode = exitCodes.ok;
  try {
    const program = await programFor(args, table, io, (code) => (exitCode = code));
    await program.parseAsync([...args], { from: 'user' });
    return exitCode;
  } catch (error) {
    if (error instanceof CommanderError) return error.exitCode === 0 ? exitCodes.ok : exitCodes.usage;
    const failure = await failureOf(error);
    if (!failure) throw error;
    io.stderr.line([styled('red', 'varve:'), ' ', failure.message]);
    if (failure.hint) io.stderr.line(withCommandName(failure.hint, io));
    return failure.exitCode;
  }
}

/** Loads the errors of all packages only if one of them may have been thrown. */
async function failureOf(error: unknown): Promise<Failure | undefined> {
  if (error instanceof CliError) return error;
  const { describeFailure } = await import('../home/describe-failure.ts');
  return describeFailure(error);
}

/** Creates the program with the command that was typed, or with all of them for the help and for errors. */
async function programFor(
  args: readonly string[],
  { commands, defaultCommand }: CommandTable,
  io: TerminalIo,
  done: (code: ExitCode) => void,
): Promise<Command> {
  const program = new Command('varve')
    .description('A coding agent that records every step in a log you can verify.')
    .version(appVersion(), '-V, --version')
    .exitOverride()
    // Options of a command that is an argument are its own: `permissions rm deny command rm -rf`.
    .enablePositionalOptions()
    .configureOutput({
      writeOut: (text) => io.stdout.text(text),
      writeErr: (text) => io.stderr.text(text),
      // Quotes arguments, such as names of files for which the shell replaced a pattern.
      outputError: (message) => io.stderr.line(message.trimEnd()),
      getOutHelpWidth: () => io.stdout.columns,
      getErrHelpWidth: () => io.stderr.columns,
    })
    .showHelpAfterError('Run "varve --help" for usage.')
    .hook('preAction', (_program, command) => refuseToAgents(command, io.env))
    .addHelpText('after', footer);
  const [name = ''] = args[0] === 'help' ? args.slice(1) : args;
  const named = Object.hasOwn(commands, name) ? commands[name] : undefined;
  const loaded = defaultCommand && isSession(args, io) ? [defaultCommand] : named ? [named] : Object.values(commands);
  for (const load of loaded) (await load())(program, io, done, commands);
  nameHelp(program);
  return program;
}

/** Names the help of a command after its errors. */
function nameHelp(parent: Command): void {
  for (const command of parent.commands) {
    const name = nameOf(command);
    if (name !== 'session') command.showHelpAfterError(`Run "varve ${name} --help" for usage.`);
    nameHelp(command);
  }
}

/** Reports whether arguments start the session: options, a message of several words, or nothing on a terminal. */
function isSession([first]: readonly string[], { stdin, stdout }: TerminalIo): boolean {
  if (first === undefined) return stdin.isTTY === true && stdout.isTTY;
  return /^-|\s/.test(first) && !['-h', '--help', '-V', '--version'].includes(first);
}
