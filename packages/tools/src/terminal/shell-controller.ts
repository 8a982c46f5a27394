import { ToolError } from '../contract/error.ts';
import type { ToolContext } from '../contract/tool.ts';
import { lostMounts } from '../processes/lost-mounts.ts';
import { escalateInterrupt } from './escalate-interrupt.ts';
import { keystroke, untypableReason } from './keys.ts';
import type { ShellSession } from './session/shell-session.ts';
import { invalidReason, reportInput, type ReportContext, type ShellCall } from './shell-call.ts';
import { isDirectory, type ShellFactory, type ShellOrigin } from './shell-factory.ts';
import {
  commandEnded,
  commandNotStarted,
  continuedOutput,
  directoryGone,
  shellEnded,
  shellKilled,
  shellReplaced,
  shellUnsettled,
  startsElsewhere,
  stillRunning,
  unreportedOutput,
} from './shell-messages.ts';
import { refusalReport, terminalReport, type TerminalReport } from './terminal-report.ts';

/** Options of a shell next to the main one. */
export interface SecondaryShellOptions {
  /** Number by which a model addresses the shell; 2 or more. */
  readonly number: number;
  /** Initial state of the shell, if known. */
  readonly origin: Promise<ShellOrigin | undefined>;
}

/** Executes the calls of one shell, one after the other, and owns the shell between them. */
export class ShellController {
  readonly #factory: ShellFactory;
  readonly #quietMs: number;
  readonly #secondary: SecondaryShellOptions | undefined;
  #session: ShellSession | undefined;
  /** Returns true if the sandbox of the shell has a hole. */
  #isOpen: () => boolean = () => false;
  /** Initial state of the next shell; undefined before the first shell and after a reset. */
  #lastOrigin: ShellOrigin | undefined;
  /** True until a shell was started or reset. */
  #isFirst = true;
  /** Last shell that was started; it may still be starting. */
  #starting: Promise<ShellSession> | undefined;
  readonly #closing = new AbortController();
  /** Shells that did not end in time. */
  readonly #stuck: ShellSession[] = [];

  constructor(factory: ShellFactory, quietMs: number, secondary?: SecondaryShellOptions) {
    this.#factory = factory;
    this.#quietMs = quietMs;
    this.#secondary = secondary;
  }

  /** True while a command is running. */
  get isRunning(): boolean {
    return this.#session?.status === 'running';
  }

  /** True if a poll would return something: a running command, an unreported end or new output. */
  get hasUnreported(): boolean {
    const session = this.#session;
    return session !== undefined && (session.status !== 'idle' || session.hasOutput);
  }

  /** Process id of the shell; undefined when no shell is running. */
  get pid(): number | undefined {
    return this.#session?.pid;
  }

  /** Returns the state from which another shell can start like this one; undefined before the first shell. */
  async origin(): Promise<ShellOrigin | undefined> {
    return this.#session === undefined ? this.#lastOrigin : originOf(this.#session);
  }

  /** Returns the directory in which the next command starts; undefined before the first shell. */
  async nextDirectory(): Promise<string | undefined> {
    return (this.#session ?? this.#lastOrigin ?? (await this.#secondary?.origin))?.directory;
  }

  /** Ends a shell whose sandbox has a hole, with everything in it. Returns true if there was one. */
  async endIfOpen(): Promise<boolean> {
    const session = this.#session;
    if (session === undefined || !this.#isOpen()) return false;
    if (session.status === 'running') session.kill();
    else {
      this.#dropSession(session);
      await session.close();
    }
    return true;
  }

  /** Executes a call. Rules in order: arguments, reset, poll, input, new command. */
  async call(call: ShellCall, context: ToolContext): Promise<TerminalReport> {
    const reason = invalidReason(call);
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

  /** Ends the shell. A call that waits for it returns; calls waiting for their turn, or for a shell, fail as closed. */
  async close(): Promise<void> {
    this.#closing.abort();
    const last = await this.#starting?.catch(() => undefined);
    await Promise.all([...(last ? [last] : []), ...this.#stuck].map((session) => session.close()));
  }

  async #reset(): Promise<void> {
    this.#isFirst = false;
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
    if (session?.status === 'running') return this.#follow(session, call, context, { prefix: continuedOutput });
    if (session?.status === 'finished' || session?.status === 'ended')
      return this.#reportEnd(session, call, { prefix: continuedOutput });
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
    const reason = untypableReason(stroke, session.tty);
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
    return this.#follow(session, call, context, { prefix: continuedOutput, ...sent });
  }

  async #command(call: ShellCall, context: ToolContext): Promise<TerminalReport> {
    const before = this.#session;
    if (before?.status === 'running') {
      const suffix =
        '[NOT executed: the previous command is still running. Read more of it with an empty command, answer it with is_input, stop it with C-c and is_input, or use reset.]';
      return terminalReport({
        command: call.command,
        output: before.take(),
        prefix: continuedOutput,
        suffix,
        isError: true,
        shell: before,
      });
    }
    const secrets = await this.#factory.secretsFor(call.command);
    if (context.signal.aborted) throw new ToolError('aborted', 'The call was cancelled before it started.');
    if (before?.status === 'ended') this.#dropSession(before);
    const { shellDirectory } = context;
    if (this.#isFirst && shellDirectory !== undefined && !(await isDirectory(shellDirectory))) {
      this.#isFirst = false;
      const suffix = directoryGone(shellDirectory);
      const shell = await this.#ensureSession(context);
      return terminalReport({ command: call.command, suffix, isError: true, shell });
    }
    const prefix = before === undefined ? '' : unreportedOutput(before.take(), this.#unreportedEnd(before));
    before?.acknowledge();
    const session = await this.#ensureSession(context);
    await context.checkLease?.();
    if (!this.#mayStart(session, context)) {
      const { command } = call;
      return terminalReport({ command, prefix, suffix: startsElsewhere, isError: true, shell: session });
    }
    session.onOutput = context.onOutput;
    session.run(call.command, secrets);
    return this.#follow(session, call, context, prefix === '' ? {} : { prefix });
  }

  #mayStart({ directory }: ShellSession, { startDirectories }: ToolContext): boolean {
    return this.#factory.mayStartIn(directory, startDirectories);
  }

  #unreportedEnd(session: ShellSession): string {
    const { status, exitCode } = session;
    if (status === 'finished') return `[The previous command has finished with exit code ${exitCode}.]`;
    return status === 'ended' ? this.#shellEnd(session) : '';
  }

  #shellEnd({ exitCode, isUnsettled }: ShellSession): string {
    return isUnsettled ? shellUnsettled(this.#keepsState) : shellEnded(exitCode, this.#keepsState);
  }

  /** True if the next shell will have the variables and functions of the last one. */
  get #keepsState(): boolean {
    return this.#lastOrigin?.state !== undefined;
  }

  /** Waits for the running command and reports its state. */
  async #follow(
    session: ShellSession,
    call: ShellCall,
    toolContext: ToolContext,
    context: ReportContext,
  ): Promise<TerminalReport> {
    const { signal } = toolContext;
    const limits = call.timeout === undefined ? { quietMs: this.#quietMs } : { lateMs: call.timeout * 1000 };
    const end = await session.wait({ ...limits, signal });
    if (end === 'aborted') return this.#interrupted(session, call, context);
    if (end === 'unusable') return this.#runInNewShell(session, call, toolContext, context);
    if (end === 'finished' || end === 'ended') return this.#reportEnd(session, call, context);
    const state = { quietMs: this.#quietMs, seconds: call.timeout ?? 0, shellNumber: this.#secondary?.number };
    return terminalReport({
      ...reportInput(session, call, context),
      suffix: stillRunning(end, state),
      timedOut: true,
    });
  }

  /**
   * Runs the command that a shell did not start in a new shell with the state of that one, and when it does not start
   * there either, in one without them.
   */
  async #runInNewShell(
    unusable: ShellSession,
    call: ShellCall,
    toolContext: ToolContext,
    { prefix, replacements = 0 }: ReportContext,
  ): Promise<TerminalReport> {
    this.#dropSession(unusable);
    const input = reportInput(unusable, call, prefix === undefined ? {} : { prefix });
    await unusable.close();
    if (replacements > 0) this.#lastOrigin = { directory: unusable.directory };
    const replaced = shellReplaced(this.#keepsState);
    if (replacements > 1) return terminalReport({ ...input, suffix: commandNotStarted, isError: true });
    const session = await this.#ensureSession(toolContext);
    const secrets = await this.#factory.secretsFor(unusable.command);
    await toolContext.checkLease?.();
    // If the directory is gone, the new shell is in the workspace.
    if (!this.#mayStart(session, toolContext))
      return terminalReport({ ...input, suffix: startsElsewhere, isError: true, shell: session });
    session.onOutput = toolContext.onOutput;
    session.run(unusable.command, secrets);
    const before = [prefix, input.output?.text, replaced].filter(Boolean).join('\n');
    return this.#follow(session, call, toolContext, { prefix: before, replacements: replacements + 1 });
  }

  /** Ends the command of a cancelled call and reports its output. */
  async #interrupted(session: ShellSession, call: ShellCall, context: ReportContext): Promise<TerminalReport> {
    const end = await escalateInterrupt(session);
    const input = reportInput(session, call, context);
    if (end === 'finished') {
      session.acknowledge();
      return terminalReport({
        ...input,
        suffix: '[Interrupted: the call was cancelled.]',
        exitCode: session.exitCode,
      });
    }
    this.#dropSession(session);
    if (end === 'unusable') await session.close();
    else if (end !== 'ended') this.#stuck.push(session);
    return terminalReport({ ...input, suffix: shellKilled(this.#keepsState), isError: true });
  }

  /** Reports the end of a command, or of the shell. */
  async #reportEnd(session: ShellSession, call: ShellCall, context: ReportContext): Promise<TerminalReport> {
    const { status, exitCode } = session;
    const input = reportInput(session, call, context);
    if (status !== 'ended') {
      session.acknowledge();
      const suffix = commandEnded(context.sent, this.#secondary !== undefined);
      return terminalReport({ ...input, suffix, exitCode });
    }
    this.#dropSession(session);
    return terminalReport({ ...input, suffix: this.#shellEnd(session), exitCode, isError: true });
  }

  #dropSession(session: ShellSession): void {
    this.#session = undefined;
    this.#lastOrigin = originOf(session);
  }

  /** Returns the shell, which it starts if necessary. */
  async #ensureSession({ workspace, shellDirectory, signal }: ToolContext): Promise<ShellSession> {
    const origin = this.#lastOrigin ?? (await this.#secondary?.origin);
    const wanted = origin?.directory ?? (this.#isFirst ? shellDirectory : undefined);
    const directory = wanted !== undefined && (await isDirectory(wanted)) ? wanted : workspace;
    this.#throwIfClosed();
    if (this.#session !== undefined) return this.#session;
    this.#isFirst = false;
    const cancelled = AbortSignal.any([signal, this.#closing.signal]);
    this.#starting = this.#factory.start({ directory, state: origin?.state }, cancelled);
    const session = await this.#starting.finally(() => this.#throwIfClosed());
    this.#isOpen = lostMounts(session.pid);
    return (this.#session = session);
  }

  #throwIfClosed(): void {
    if (this.#closing.signal.aborted)
      throw new ToolError('closed', 'The terminal was closed before the call had started.');
  }
}

function originOf(session: ShellSession): ShellOrigin {
  return { directory: session.directory, state: session.state() };
}
