import type { Conversation } from '@varve/agent';
import { ActionEvent } from '@varve/events/kinds';
import { eventLines } from '@varve/events/text';
import { shellWord } from '@varve/text';
import { ToolError } from '@varve/tools';
import { streamCommand } from '@varve/tools/workspace';
import { filePositions, type FilePosition } from '../conversations/file-positions.ts';
import { findChange } from '../conversations/find-change.ts';
import { CliError } from '../failures/cli-error.ts';
import { exitCodes, type ExitCode } from '../failures/exit-codes.ts';
import type { RunOptions } from '../opening/run-options.ts';
import { commandName } from '../terminal/command-name.ts';
import { onInterrupt } from '../terminal/signals.ts';
import type { TerminalIo } from '../terminal/terminal-io.ts';
import type { FilesPlan } from '../wording/plan-lines.ts';
import { printFileDifferences } from './file-differences.ts';

/** Options of {@link bisectFiles}. */
export interface BisectOptions extends Pick<RunOptions, 'store' | 'sign'> {
  /** Files that go back although something else changed them. */
  readonly overwrite: readonly string[];
  /** Files and directories that stay as they are. */
  readonly leave: readonly string[];
}

/** Status by which a command skips a state, as for `git bisect run`. */
const skips = 125;

/** Finds and prints the change of files with which the result of a command changed. All files go back afterwards. */
export async function bisectFiles(
  conversation: Conversation,
  command: readonly string[],
  options: BisectOptions,
  io: TerminalIo,
): Promise<ExitCode> {
  const controller = new AbortController();
  using ending = new DisposableStack();
  const abort = (): void => controller.abort();
  onInterrupt({ pause: abort, stop: abort }, ending);
  const files = new PastFiles(conversation, options);
  await files.check();
  const { positions, lastId } = await filePositions(conversation);
  if (positions.length === 0) throw new CliError(exitCodes.usage, 'The conversation has no changes of files.');
  const place = options.store === undefined ? '' : ` --store ${shellWord(options.store)}`;
  const back = `${commandName(io)} rewind ${conversation.id} ${lastId} --files${place}`;
  io.stderr.line(`If this is killed, \`${back}\` sets the files back.`);
  try {
    const probe = async () => runProbe(conversation, command, controller.signal, io);
    return await search(positions, { files, probe, conversation, io });
  } catch (error) {
    if (error instanceof ToolError && error.code === 'aborted') return exitCodes.interrupted;
    throw error;
  } finally {
    await files.goTo(lastId, `\`${back}\` tries it again.`);
  }
}

interface Search {
  readonly files: PastFiles;
  /** Returns whether the command succeeds; undefined for a state that it skips. */
  readonly probe: () => Promise<boolean | undefined>;
  readonly conversation: Conversation;
  readonly io: TerminalIo;
}

async function search(positions: readonly FilePosition[], found: Search): Promise<ExitCode> {
  const { files, probe, conversation, io } = found;
  const last = await probe();
  await files.goTo(undefined);
  const first = await probe();
  if (first === undefined || last === undefined || first === last) {
    const problem = first === last && first !== undefined ? 'has the same result' : 'skips';
    io.stderr.line(`The command ${problem} at the first and the last position, so that there is no change to find.`);
    return exitCodes.unfinished;
  }
  // Index 0 is the position before all changes.
  const { low, high } = await findChange(positions.length, async (index) => {
    await files.goTo(positions[index - 1]?.id);
    const result = await probe();
    return result === undefined ? undefined : result === last;
  });
  const changes = positions.slice(low, high);
  if (changes.length > 1) io.stdout.line('The change is one of these, because those between were skipped:');
  for (const change of changes) {
    io.stdout.line(`event ${change.seq} (${change.id}): the command ${last ? 'succeeds' : 'fails'} since then`);
    await printChange(change, conversation, io);
  }
  return changes.length > 1 ? exitCodes.unfinished : exitCodes.ok;
}

async function printChange(change: FilePosition, conversation: Conversation, { stdout }: TerminalIo): Promise<void> {
  const { calls, isReturn, changes } = change;
  if (isReturn) stdout.line('from a return to earlier files');
  else if (calls.length === 0) stdout.line('from outside: a person, an editor or a job in the background');
  for await (const { event, seq } of conversation.events()) {
    if (!ActionEvent.is(event) || !calls.includes(event.id)) continue;
    stdout.line(`${calls.length > 1 ? 'perhaps ' : ''}by the call of event ${seq}:`);
    for (const { text } of eventLines(event)) stdout.text(text);
  }
  await printFileDifferences(changes, conversation, stdout);
}

async function runProbe(
  conversation: Conversation,
  command: readonly string[],
  signal: AbortSignal,
  { env, stderr }: TerminalIo,
): Promise<boolean | undefined> {
  const { exitCode } = await streamCommand(command.map(shellWord).join(' '), conversation.workspace, {
    onOutput(_, bytes) {
      stderr.partial(bytes.toString());
      return undefined;
    },
    timeoutMs: Infinity,
    signal,
    inherit: env,
    variables: Object.fromEntries(Object.entries(env).map(([name, value = '']) => [name, value])),
  });
  stderr.line(`exit status ${exitCode}`);
  if (exitCode < 0 || exitCode > 127)
    throw new CliError(exitCodes.unfinished, `The command ended with ${exitCode}, which is no result.`);
  return exitCode === skips ? undefined : exitCode === 0;
}

/** Files of a workspace that go to states of the past, and back. */
class PastFiles {
  readonly #conversation: Conversation;
  readonly #leave: readonly string[];
  /** Files that went back, which the command may change. */
  readonly #moved: Set<string>;

  constructor(conversation: Conversation, { overwrite, leave }: BisectOptions) {
    this.#conversation = conversation;
    this.#leave = leave;
    this.#moved = new Set(overwrite);
  }

  /** @throws {CliError} `usage` with the files that cannot go to the first state and back. */
  async check(): Promise<void> {
    const { steps } = await this.#navigate(undefined, true);
    const problems = steps.filter((step) => this.#isProblem(step)).map(({ path, reason }) => `${path} (${reason})`);
    const hint = '`--overwrite PATH` sets a changed file back for the time of the search, `--leave PATH` leaves it.';
    if (problems.length > 0)
      throw new CliError(exitCodes.usage, `Some files cannot go back: ${problems.join(', ')}.`, hint);
    for (const { kind, path } of steps) if (kind === 'write' || kind === 'delete') this.#moved.add(path);
  }

  /** Goes to the state after an event; undefined is that before every one. @throws {CliError} `unfinished` */
  async goTo(eventId: string | undefined, hint?: string): Promise<void> {
    const { steps, left, changed } = await this.#navigate(eventId, false);
    for (const path of changed) this.#moved.add(path);
    const paths = [...left, ...steps.filter((step) => this.#isProblem(step)).map(({ path }) => path)];
    if (paths.length > 0)
      throw new CliError(
        exitCodes.unfinished,
        `Some files were changed meanwhile and stay: ${paths.join(', ')}.`,
        hint,
      );
  }

  async #navigate(eventId: string | undefined, dryRun: boolean): Promise<FilesPlan> {
    const overwrites = (path: string): boolean => this.#moved.has(path);
    return this.#conversation.navigate(eventId, { scope: 'files', dryRun, isTemporary: true, overwrites });
  }

  #isProblem({ kind, path }: FilesPlan['steps'][number]): boolean {
    const stays = this.#leave.some((each) => path === each || path.startsWith(each.replace(/\/?$/, '/')));
    return !stays && (kind === 'conflict' || kind === 'cannot');
  }
}
