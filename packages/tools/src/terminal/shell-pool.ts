import type { ToolContext } from '../contract/tool.ts';
import { mutex, type Mutex } from '../contract/mutex.ts';
import { hasOtherProcesses } from '../processes/process-table.ts';
import type { ShellCall } from './shell-call.ts';
import { ShellController } from './shell-controller.ts';
import type { ShellFactory } from './shell-factory.ts';
import { sandboxReopened } from './shell-messages.ts';
import { refusalReport, withSuffix, type TerminalReport } from './terminal-report.ts';

/** Options of {@link ShellPool}. */
export interface ShellPoolOptions {
  readonly factory: ShellFactory;
  readonly quietMs: number;
  readonly maxShells: number;
  /** Completes the report of a call, which has the directory in which it started as its shell's. */
  readonly complete?: (report: TerminalReport, call: ShellCall, context: ToolContext) => Promise<TerminalReport>;
}

interface PooledShell {
  readonly controller: ShellController;
  readonly mutex: Mutex;
}

const address = /^SHELL(\d{1,9}):/;

/**
 * Shells of one terminal. Sequential calls use the main shell. A command that arrives while another call is running one
 * gets a secondary shell, which ends with its command unless other programs still run in it. Polls, inputs and resets
 * wait for their turn at the shell they address, by default the main one.
 */
export class ShellPool {
  readonly #options: ShellPoolOptions;
  readonly #main: PooledShell;
  readonly #secondary = new Map<number, PooledShell>();
  readonly #closing = new Set<Promise<void>>();
  /** Number of commands that run in the main shell or wait for it. */
  #commands = 0;
  /** Number of other calls that use the main shell or wait for it. */
  #others = 0;
  /** True if the first of these commands is refused because an earlier one is still running. */
  #isRefusing = false;

  constructor(options: ShellPoolOptions) {
    this.#options = options;
    this.#main = { controller: new ShellController(options.factory, options.quietMs), mutex: mutex() };
  }

  /** Executes a call in the shell that it belongs to. */
  async call(call: ShellCall, context: ToolContext): Promise<TerminalReport> {
    const number = addressOf(call);
    if (number !== undefined && this.#options.maxShells > 1) return this.#callAddressed(number, call, context);
    if (isCommand(call)) return this.#callCommand(call, context);
    const [only] = this.#secondary.size === 1 ? this.#secondary.keys() : [];
    const isIdle = this.#commands + this.#others === 0 && !this.#main.controller.hasUnreported;
    if (isIdle && only !== undefined && !call.reset) return this.#callSecondary(only, call, context);
    this.#others += 1;
    return this.#callInTurn(this.#main, call, context).finally(() => (this.#others -= 1));
  }

  /** Process ids of the shells; undefined for those that have not started. */
  get pids(): readonly (number | undefined)[] {
    return [this.#main, ...this.#secondary.values()].map(({ controller }) => controller.pid);
  }

  /** Ends all shells. */
  async close(): Promise<void> {
    const shells = [this.#main, ...this.#secondary.values()];
    await Promise.all([...shells.map(({ controller: calls }) => calls.close()), ...this.#closing]);
  }

  #callCommand(call: ShellCall, context: ToolContext): Promise<TerminalReport> {
    const isFull = this.#secondary.size + 1 >= this.#options.maxShells;
    if (this.#commands > 0 && this.#others === 0 && !this.#isRefusing && !isFull)
      return this.#callSecondary(this.#openSecondary(), call, context);
    if (this.#commands === 0) this.#isRefusing = this.#main.controller.isRunning;
    this.#commands += 1;
    return this.#callInTurn(this.#main, call, context).finally(() => (this.#commands -= 1));
  }

  /** Adds a secondary shell that starts like the main one, and returns its number. */
  #openSecondary(): number {
    let number = 2;
    while (this.#secondary.has(number)) number += 1;
    const { factory, quietMs } = this.#options;
    const origin = this.#main.controller.origin();
    this.#secondary.set(number, {
      controller: new ShellController(factory, quietMs, { number, origin }),
      mutex: mutex(),
    });
    return number;
  }

  async #callAddressed(number: number, call: ShellCall, context: ToolContext): Promise<TerminalReport> {
    const input = call.command.replace(address, '');
    if (number !== 1 && !this.#secondary.has(number))
      return refusalReport(
        call.command,
        `There is no shell ${number}: its command has ended, and its end was reported.`,
      );
    const plain = { ...call, command: input, is_input: input !== '' || call.reset };
    return number === 1 ? this.#callInTurn(this.#main, plain, context) : this.#callSecondary(number, plain, context);
  }

  async #callSecondary(number: number, call: ShellCall, context: ToolContext): Promise<TerminalReport> {
    const shell = this.#secondary.get(number) ?? this.#main;
    try {
      return await this.#callInTurn(shell, call, context);
    } finally {
      if (
        this.#secondary.get(number) === shell &&
        !shell.controller.hasUnreported &&
        !hasOtherProcesses(shell.controller.pid)
      ) {
        this.#secondary.delete(number);
        const closing = shell.controller.close().finally(() => this.#closing.delete(closing));
        this.#closing.add(closing);
      }
    }
  }

  #callInTurn({ controller, ...shell }: PooledShell, call: ShellCall, context: ToolContext): Promise<TerminalReport> {
    const { complete } = this.#options;
    return shell.mutex(async () => {
      const wasOpen = await this.#endOpenShells();
      const start = call.reset ? context.workspace : await controller.nextDirectory();
      const report = await controller.call(call, context);
      const started = { ...context, ...(start !== undefined && { shellDirectory: start }) };
      const completed = complete === undefined ? report : await complete(report, call, started);
      const isOpen = await this.#endOpenShells();
      return wasOpen || isOpen ? withSuffix(completed, sandboxReopened) : completed;
    }, context.signal);
  }

  /** Ends the shells whose sandbox has a hole; the next command starts another one. Returns true if there was one. */
  async #endOpenShells(): Promise<boolean> {
    const shells = [this.#main, ...this.#secondary.values()];
    return (await Promise.all(shells.map(async ({ controller }) => controller.endIfOpen()))).includes(true);
  }
}

/** Returns the number of the shell that an input addresses. */
function addressOf({ command, is_input: isInput }: ShellCall): number | undefined {
  const number = isInput ? address.exec(command)?.[1] : undefined;
  return number === undefined ? undefined : Number(number);
}

/** Returns the keys of the shell that a call uses; none for a command, which can run in a secondary shell. */
export function shellResources(call: ShellCall, maxShells: number): readonly string[] {
  if (maxShells > 1 && isCommand(call)) return [];
  const number = maxShells > 1 ? (addressOf(call) ?? 1) : 1;
  return [number === 1 ? 'terminal:session' : `terminal:session-${number}`];
}

function isCommand({ command, is_input: isInput, reset }: ShellCall): boolean {
  return !isInput && !reset && command.trim() !== '';
}
