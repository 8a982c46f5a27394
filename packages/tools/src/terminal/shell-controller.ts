import type { ToolContext } from '../contract/tool.ts';
import { ToolError } from '../contract/error.ts';
import { looksLikeLiteral } from './command-text.ts';
import { escalateInterrupt } from './escalate-interrupt.ts';
import { keystroke, type Keystroke } from './keys.ts';
import type { WaitEnd } from './session/session-waits.ts';
import { isDirectory, type ShellFactory, type ShellOrigin } from './shell-factory.ts';
import type { ShellSession } from './session/shell-session.ts';
import { refusalReport, terminalReport, type ReportInput, type TerminalReport } from './terminal-report.ts';

/** The input of one terminal call. */
export interface ShellCall {
  readonly command: string;
  readonly is_input: boolean;
  /** Seconds. */
  readonly timeout?: number | undefined;
  readonly reset: boolean;
}

/** Keys that work without a terminal. */
const pipeKeys = new Set(['C-c', 'C-d', 'ENTER', 'TAB']);
/** What the line discipline of a terminal takes at once; the rest of a longer line would be lost. */
const longestLine = 4000;
const continued = '[Output of the running command since the last call:]';

/** What a shell beside the main one is. */
export interface SecondaryShellOptions {
  /** 2 or more; by this a model names it. */
  readonly number: number;
  /** Where it starts, as far as that is known. */
  readonly origin: Promise<ShellOrigin | undefined>;
}

/** The calls of one shell, one after the other: owns the shell between them. */
export class ShellController {
  readonly #factory: ShellFactory;
  readonly #quietMs: number;
  readonly #secondary: SecondaryShellOptions | undefined;
  #session: ShellSession | undefined;
  /** What the next shell begins with; undefined before the first one and after a reset. */
  #lastOrigin: ShellOrigin | undefined;
  /** The last shell, which may not be up yet. */
  #starting: Promise<ShellSession> | undefined;
  #isClosed = false;
  /** Shells that would not end when they should. */
  readonly #stuck: ShellSession[] = [];

  constructor(host: ShellFactory, quietMs: number, beside?: SecondaryShellOptions) {
    this.#factory = host;
    this.#quietMs = quietMs;
    this.#secondary = beside;
  }

  /** Whether a command runs. */
  get isRunning(): boolean {
    return this.#session?.status === 'running';
  }

  /** Whether there is something that a poll would tell. */
  get hasUnreported(): boolean {
    const session = this.#session;
    return session !== undefined && (session.status !== 'idle' || session.hasOutput);
  }

  /** Of the shell, when there is one. */
  get pid(): number | undefined {
    return this.#session?.pid;
  }

  /** What a shell that starts now begins with, to be like this one; undefined when there was none yet. */
  async origin(): Promise<ShellOrigin | undefined> {
    return this.#session === undefined ? this.#lastOrigin : originOf(this.#session);
  }

  /** What the model is told. Rules in order: arguments, reset, poll, input, new command. */
  async call(call: ShellCall, context: ToolContext): Promise<TerminalReport> {
    const reason = whyInvalid(call);
    if (reason !== undefined) return refusalReport(call.command, reason);
    if (call.reset) await this.#reset();
    const session = this.#session;
    if (session !== undefined) session.onOutput = context.onOutput;
    try {
      await session?.waitUntilSettled(context.signal);
      if (call.command.trim() === '')
        return await (call.reset ? this.#reportReset(context) : this.#poll(call, context));
      return await (call.is_input ? this.#input(call, context) : this.#command(call, context));
    } finally {
      if (this.#session !== undefined) this.#session.onOutput = undefined;
    }
  }

  /** Ends the shell; a call that waits for it returns, and those that wait for their turn find it closed. */
  async close(): Promise<void> {
    this.#isClosed = true;
    const last = await this.#starting?.catch(() => undefined);
    await Promise.all([...(last ? [last] : []), ...this.#stuck].map((session) => session.close()));
  }

  async #reset(): Promise<void> {
    await this.#session?.close();
    this.#session = undefined;
    this.#lastOrigin = undefined;
  }

  async #reportReset(context: ToolContext): Promise<TerminalReport> {
    const shell = await this.#ensureSession(context);
    return terminalReport({
      command: '[RESET]',
      suffix: '[A fresh shell was started; earlier variables and functions are gone.]',
      exitCode: 0,
      shell,
    });
  }

  async #poll(call: ShellCall, context: ToolContext): Promise<TerminalReport> {
    const session = this.#session;
    if (session?.status === 'running') return this.#follow(session, call, context, { prefix: continued });
    if (session?.status === 'finished' || session?.status === 'ended')
      return this.#reportEnd(session, call, { prefix: continued });
    if (session?.hasOutput) {
      return terminalReport({
        command: call.command,
        output: session.take(),
        suffix: '[Written by programs in the background; no command is running.]',
        shell: session,
      });
    }
    return refusalReport(
      call.command,
      'No command is running and there is no new output, so there is nothing to read.',
    );
  }

  async #input(call: ShellCall, context: ToolContext): Promise<TerminalReport> {
    const session = this.#session;
    if (session?.status !== 'running') {
      return refusalReport(
        call.command,
        'No program is running that could take the input; to run a command, leave is_input out.',
      );
    }
    const stroke = keystroke(call.command);
    const reason = whyUntypable(stroke, session.tty);
    if (reason !== undefined) return refusalReport(call.command, reason);
    if (stroke.text === '\u0003') session.interrupt();
    else if (!session.type(stroke.text))
      return refusalReport(
        call.command,
        'The input of this shell was closed by C-d; reset starts a shell with a new one.',
      );
    const sent =
      stroke.kind === 'key'
        ? { sent: stroke.name.replace(/^C-(.)$/, (_, letter: string) => `CTRL+${letter.toUpperCase()}`) }
        : {};
    return this.#follow(session, call, context, { prefix: continued, ...sent });
  }

  async #command(call: ShellCall, context: ToolContext): Promise<TerminalReport> {
    const before = this.#session;
    if (before?.status === 'running') {
      const suffix =
        '[NOT executed: the previous command is still running. Read more of it with an empty command, answer it with is_input, stop it with C-c and is_input, or use reset.]';
      return terminalReport({
        command: call.command,
        output: before.take(),
        prefix: continued,
        suffix,
        isError: true,
        shell: before,
      });
    }
    if (before?.status === 'ended') await this.#dropSession(before);
    const prefix = before === undefined ? '' : leftover(before, this.#lastOrigin);
    before?.acknowledge();
    const session = await this.#ensureSession(context);
    session.onOutput = context.onOutput;
    await session.run(call.command, await this.#factory.secretsFor(call.command));
    return this.#follow(session, call, context, prefix === '' ? {} : { prefix });
  }

  /** Waits for the running command and tells how far it came. */
  async #follow(
    session: ShellSession,
    call: ShellCall,
    { signal }: ToolContext,
    words: ReportContext,
  ): Promise<TerminalReport> {
    const limits = call.timeout === undefined ? { quietMs: this.#quietMs } : { lateMs: call.timeout * 1000 };
    const end = await session.wait({ ...limits, signal });
    if (end === 'aborted') return this.#interrupted(session, call, words);
    if (end === 'finished' || end === 'ended') return this.#reportEnd(session, call, words);
    return terminalReport({
      ...this.#reportInput(session, call, words),
      suffix: stillRunning(end, { quietMs: this.#quietMs, seconds: call.timeout ?? 0, beside: this.#secondary }),
      timedOut: true,
    });
  }

  async #interrupted(session: ShellSession, call: ShellCall, words: ReportContext): Promise<TerminalReport> {
    const end = await escalateInterrupt(session);
    const telling = this.#reportInput(session, call, words);
    if (end === 'finished') {
      session.acknowledge();
      return terminalReport({
        ...telling,
        suffix: '[Interrupted: the call was cancelled.]',
        exitCode: session.exitCode,
      });
    }
    if (end !== 'ended') this.#stuck.push(session);
    await this.#dropSession(session);
    const suffix = `[Interrupted: the call was cancelled and the command could only be ended together with its shell. ${comesBack(this.#lastOrigin)}]`;
    return terminalReport({ ...telling, suffix, isError: true });
  }

  /** Tells the end of a command, or of the shell. */
  async #reportEnd(session: ShellSession, call: ShellCall, words: ReportContext): Promise<TerminalReport> {
    const { status, exitCode } = session;
    const telling = this.#reportInput(session, call, words);
    if (status !== 'ended') {
      session.acknowledge();
      const suffix = commandEnded(words.sent, this.#secondary);
      return terminalReport({ ...telling, suffix, exitCode });
    }
    await this.#dropSession(session);
    return terminalReport({ ...telling, suffix: shellEnded(exitCode, this.#lastOrigin), exitCode, isError: true });
  }

  #reportInput(session: ShellSession, call: ShellCall, { prefix }: ReportContext): Omit<ReportInput, 'suffix'> {
    const command = call.reset ? `[RESET] ${call.command}` : call.command;
    return { command, output: session.take(), shell: session, ...(prefix !== undefined && { prefix }) };
  }

  async #dropSession(session: ShellSession): Promise<void> {
    this.#session = undefined;
    this.#lastOrigin = await originOf(session);
  }

  async #ensureSession({ workspace, signal }: ToolContext): Promise<ShellSession> {
    const origin = this.#lastOrigin ?? (await this.#secondary?.origin);
    const directory = origin !== undefined && (await isDirectory(origin.directory)) ? origin.directory : workspace;
    if (this.#isClosed) throw closedError();
    if (this.#session !== undefined) return this.#session;
    this.#starting = this.#factory.start({ directory, exported: origin?.exported }, signal);
    this.#session = await this.#starting;
    if (this.#isClosed) throw closedError();
    return this.#session;
  }
}

interface ReportContext {
  readonly prefix?: string;
  /** The key that was sent. */
  readonly sent?: string;
}

async function originOf(session: ShellSession): Promise<ShellOrigin> {
  return { directory: session.directory, exported: await session.exported() };
}

function closedError(): ToolError {
  return new ToolError('closed', 'The terminal was closed before the call had started.');
}

function whyInvalid({ command, is_input, reset }: ShellCall): string | undefined {
  if (reset && is_input)
    return 'reset and is_input cannot be combined: a fresh shell runs no program that could take input.';
  if (command.includes('\0')) return 'The command contains a null character, which no shell can run.';
  if (is_input || !looksLikeLiteral(command)) return undefined;
  return 'The command looks like a list or an object in JSON or Python, not like a shell command. Give the command line itself as a string.';
}

function whyUntypable(stroke: Keystroke, tty: boolean): string | undefined {
  if (stroke.kind === 'key') {
    return tty || pipeKeys.has(stroke.name)
      ? undefined
      : `This shell has no terminal, so the key ${stroke.name} has no effect.`;
  }
  const tooLong = tty && stroke.text.split('\n').some((line) => Buffer.byteLength(line) > longestLine);
  return tooLong
    ? `A line of input is longer than the ${longestLine} bytes that a terminal takes; write it to a file instead.`
    : undefined;
}

/** What nobody has read yet of what came before a new command. */
function leftover(session: ShellSession, last: ShellOrigin | undefined): string {
  const { status, exitCode } = session;
  const { text } = session.take();
  const end =
    status === 'finished'
      ? `[The previous command has finished with exit code ${exitCode}.]`
      : status === 'ended'
        ? shellEnded(exitCode, last)
        : '';
  if (text === '') return end;
  return [
    '[Written since the last call, before this command:]',
    text,
    ...(end ? [end] : []),
    '[Output of this command:]',
  ].join('\n');
}

function commandEnded(sent: string | undefined, beside: SecondaryShellOptions | undefined): string {
  if (sent === undefined && beside !== undefined)
    return '[The command has finished. It ran in a shell of its own, because another call was under way; the main shell has not changed.]';
  if (sent === undefined) return '[The command has finished.]';
  if (sent === 'CTRL+Z') return '[The command was stopped by CTRL+Z and waits in the list of jobs.]';
  return `[The command has finished after ${sent} was sent.]`;
}

function shellEnded(exitCode: number, last: ShellOrigin | undefined): string {
  return `[The shell itself ended with exit code ${exitCode}. ${comesBack(last)} Do not use exit at the top level.]`;
}

function comesBack(last: ShellOrigin | undefined): string {
  const what =
    last?.exported === undefined
      ? 'variables and functions are gone.'
      : 'what was exported before that command is there again, other variables and functions are gone.';
  return `The next command starts a new one in the same directory; ${what}`;
}

interface Still {
  readonly quietMs: number;
  readonly seconds: number;
  readonly beside: SecondaryShellOptions | undefined;
}

function stillRunning(end: WaitEnd, { quietMs, seconds, beside }: Still): string {
  const why = end === 'quiet' ? `No new output for ${quietMs / 1000} s` : `The ${seconds} s of this call are over`;
  if (beside === undefined)
    return `[${why}; the command is still running. An empty command waits on, is_input types text or a key into it (C-c stops it), timeout waits longer in one call.]`;
  const name = `SHELL${beside.number}:`;
  return `[${why}; the command is still running, in shell ${beside.number} beside the main one. With is_input, \`${name}\` waits on, \`${name}text\` types text or a key into it (\`${name}C-c\` stops it).]`;
}
