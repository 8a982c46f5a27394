import { StringDecoder } from 'node:string_decoder';
import { stripVTControlCharacters } from 'node:util';
import { truncateMiddle } from '@varve/text';
import { ToolError } from '@varve/tools';
import { streamCommand } from '@varve/tools/workspace';
import type { TerminalIo } from '../terminal/terminal-io.ts';
import { folded } from './folded.ts';
import type { Screen } from './screen.ts';

/** Hint while a command of the person runs. */
const running = 'Your command is running. Esc ends it.';

/** Longest output in UTF-16 units, as that of the terminal of an agent. */
const maxChars = 30_000;

/** Output that is kept while a command runs, in UTF-16 units; the first part of a longer one is lost. */
const keptChars = 10 * maxChars;

/** End of a command: its output, and a word about it unless its exit code was 0. */
interface ShellResult {
  readonly output: string;
  readonly problem: string | undefined;
}

/** Commands of the person in a session, in their own shell: they need no approval and no sandbox. */
export class SessionShell {
  readonly #screen: Screen;
  readonly #io: TerminalIo;
  #running: { readonly controller: AbortController; readonly ended: Promise<unknown> } | undefined;
  #unread: readonly string[] = [];

  constructor(screen: Screen, io: TerminalIo) {
    this.#screen = screen;
    this.#io = io;
  }

  /** Commands and their outputs that the next message contains. */
  get unread(): readonly string[] {
    return this.#unread;
  }

  /** Removes what a message contains. */
  clearUnread(): void {
    this.#unread = [];
  }

  /** Runs `!COMMAND`, which the agent reads with the next message, or `!!COMMAND`, which it never does. */
  async run(typed: string, directory: string): Promise<void> {
    const command = typed.replace(/^!!?/, '').trim();
    if (command === '') return;
    const controller = new AbortController();
    const ended = shellResult(command, { directory, io: this.#io, signal: controller.signal });
    this.#running = { controller, ended };
    this.#screen.status.hint(running);
    const result = await ended.finally(() => {
      this.#running = undefined;
      this.#screen.status.removeHint(running);
    });
    this.show(command, result);
    if (!typed.startsWith('!!')) this.#unread = [...this.#unread, textFor(command, result)];
  }

  /** Shows a command and its end. */
  show(command: string, result: ShellResult): void {
    const output = shownText(result.output);
    this.#screen.print(`! ${command}`, 'bold');
    const { theme, folding } = this.#screen;
    const paint = (row: string): string => theme.paint('dim', row);
    if (output !== '') this.#screen.add([folded(output, { folding, head: 20, tail: 20, paint })]);
    if (result.problem !== undefined) this.#screen.print(result.problem, 'yellow');
  }

  /** Ends the command that runs. Returns false if none does. */
  interrupt(): boolean {
    this.#running?.controller.abort();
    return this.#running !== undefined;
  }

  /** Ends the command that runs, and resolves when it has ended. */
  async end(): Promise<void> {
    this.interrupt();
    await this.#running?.ended.catch(() => undefined);
  }
}

interface ShellPlace {
  readonly directory: string;
  readonly io: TerminalIo;
  readonly signal: AbortSignal;
}

async function shellResult(command: string, { directory, io, signal }: ShellPlace): Promise<ShellResult> {
  let output = '';
  const decoders = { stdout: new StringDecoder('utf8'), stderr: new StringDecoder('utf8') };
  const end = streamCommand(command, directory, {
    onOutput(stream, bytes) {
      output = (output + decoders[stream].write(bytes)).slice(-keptChars);
      return undefined;
    },
    timeoutMs: Infinity,
    signal,
    inherit: io.env,
    variables: Object.fromEntries(Object.entries(io.env).map(([name, value = '']) => [name, value])),
  });
  const problem = await end.then(
    ({ exitCode }) => (exitCode === 0 ? undefined : `exit code ${exitCode}`),
    (error: unknown) => {
      if (error instanceof ToolError && error.code === 'aborted') return 'interrupted';
      throw error;
    },
  );
  return { output, problem };
}

/** Returns an output without control sequences, and without the middle of a long one. */
function shownText(output: string): string {
  const text = stripVTControlCharacters(output).replaceAll('\r\n', '\n').trimEnd();
  return truncateMiddle(text, maxChars, ({ chars }) => `\n[${chars} characters left out]\n`);
}

function textFor(command: string, { output, problem }: ShellResult): string {
  const parts = [
    `The user ran this command:\n\n$ ${command}`,
    shownText(output),
    problem === undefined ? '' : `[${problem}]`,
  ];
  return parts.filter((part) => part !== '').join('\n\n');
}
