import { StringDecoder } from 'node:string_decoder';
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
import { commandName } from '../terminal/command-name.ts';
import { onInterrupt } from '../terminal/signals.ts';
import type { TerminalIo } from '../terminal/terminal-io.ts';
import { pathsLeft } from '../wording/plan-lines.ts';
import { printFileDifferences } from './file-differences.ts';

/** Options of {@link bisectFiles}. */
export interface BisectOptions {
  /** Files that go back although something else changed them. */
  readonly overwrite: readonly string[];
  /** Files and directories that stay as they are. */
  readonly leave: readonly string[];
  readonly store?: string;
}

/** Runs a command in states of the past; its exit status decides. Returns undefined for a state that it skips. */
type Probe = () => Promise<boolean | undefined>;

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
  const back = `${commandName(io)} rewind ${conversation.id} ${lastId} --files${options.store === undefined ? '' : ` --store ${shellWord(options.store)}`}`;
  io.stderr.line(`If this is killed, \`${back}\` sets the files back.`);
  try {
    const probe = async () => runProbe(conversation, command, controller.signal, io);
    return await search(positions, { files, probe, conversation, io });
  } catch (error) {
    if (error instanceof ToolError && error.code === 'aborted') return exitCodes.interrupted;
    throw error;
  } finally {
    await files.restore(lastId, back);
  }
}

interface Search {
  readonly files: PastFiles;
  readonly probe: Probe;
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
  const decoders = { stdout: new StringDecoder('utf8'), stderr: new StringDecoder('utf8') };
  const { exitCode } = await streamCommand(command.map(shellWord).join(' '), conversation.workspace, {
    onOutput(stream, bytes) {
      stderr.partial(decoders[stream].write(bytes));
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
  readonly #options: BisectOptions;
  /** Files that went back, which the command may change. */
  readonly #moved: Set<string>;
  #isMoved = false;

  constructor(conversation: Conversation, options: BisectOptions) {
    this.#conversation = conversation;
    this.#options = options;
    this.#moved = new Set(options.overwrite);
  }

  /** @throws {CliError} `usage` with the files that cannot go to the first state and back. */
  async check(): Promise<void> {
    const overwrites = (path: string) => this.#moved.has(path);
    const plan = await this.#conversation.navigate(undefined, { scope: 'files', dryRun: true, overwrites });
    const problems = plan.steps.flatMap(({ kind, path, reason }) => {
      if (kind === 'conflict' || kind === 'cannot') return this.#stays(path) ? [] : [`${path} (${reason})`];
      this.#moved.add(path);
      return [];
    });
    if (problems.length === 0) return;
    const hint = '`--overwrite PATH` sets a changed file back for the time of the search, `--leave PATH` leaves it.';
    throw new CliError(exitCodes.usage, `Some files cannot go back: ${problems.join(', ')}.`, hint);
  }

  /** Goes to the state after an event; undefined is that before every one. @throws {CliError} `unfinished` */
  async goTo(eventId: string | undefined): Promise<void> {
    this.#isMoved = true;
    const overwrites = (path: string) => this.#moved.has(path);
    const rewound = await this.#conversation.navigate(eventId, { scope: 'files', isTemporary: true, overwrites });
    for (const path of rewound.changed) this.#moved.add(path);
    const left = pathsLeft(rewound).filter((path) => !this.#stays(path));
    if (left.length > 0)
      throw new CliError(exitCodes.unfinished, `Some files were changed meanwhile and stay: ${left.join(', ')}.`);
  }

  /** Goes back to the state before the search. */
  async restore(eventId: string | undefined, command: string): Promise<void> {
    if (!this.#isMoved) return;
    await this.goTo(eventId).catch((cause: unknown) => {
      const problem = cause instanceof Error ? cause.message : String(cause);
      throw new CliError(exitCodes.unfinished, `Not all files are back: ${problem}`, `\`${command}\` tries it again.`);
    });
  }

  #stays(path: string): boolean {
    return this.#options.leave.some((each) => path === each || path.startsWith(each.replace(/\/?$/, '/')));
  }
}
