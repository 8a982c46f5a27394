import type { ToolContext } from '../contract/tool.ts';
import { mutex, type Mutex } from '../contract/mutex.ts';
import { hasOtherProcesses } from '../processes/process-table.ts';
import { type ShellCall, ShellController } from './shell-controller.ts';
import type { ShellFactory } from './shell-factory.ts';
import { refusalReport, type TerminalReport } from './terminal-report.ts';

/** How a {@link ShellPool} works. */
export interface ShellPoolOptions {
  readonly factory: ShellFactory;
  readonly quietMs: number;
  readonly maxShells: number;
}

interface Shell {
  readonly controller: ShellController;
  readonly inTurn: Mutex;
}

const address = /^SHELL(\d{1,9}):/;

/**
 * The shells of one terminal. What comes one after the other goes to the main shell. Only a command that comes while a call
 * runs another there has a shell beside it; that one ends with its command, unless something still runs in it. Polls, inputs
 * and resets wait for their turn at the shell they name, the main one if they name none.
 */
export class ShellPool {
  readonly #options: ShellPoolOptions;
  readonly #main: Shell;
  readonly #secondary = new Map<number, Shell>();
  readonly #closing = new Set<Promise<void>>();
  /** Commands, and other calls, that are at the main shell or wait for it. */
  #commands = 0;
  #others = 0;
  /** Whether the first of these commands finds another still running, so that it is refused. */
  #isRefusing = false;

  constructor(options: ShellPoolOptions) {
    this.#options = options;
    this.#main = { controller: new ShellController(options.factory, options.quietMs), inTurn: mutex() };
  }

  /** What the model is told. */
  async call(call: ShellCall, context: ToolContext): Promise<TerminalReport> {
    const number = addressOf(call);
    if (number !== undefined && this.#options.maxShells > 1) return this.#callAddressed(number, call, context);
    if (isCommand(call)) return this.#callCommand(call, context);
    const [only] = this.#secondary.size === 1 ? this.#secondary.keys() : [];
    const isIdle = this.#commands + this.#others === 0 && !this.#main.controller.hasUnreported;
    if (isIdle && only !== undefined && !call.reset) return this.#callSecondary(only, call, context);
    this.#others += 1;
    return inTurn(this.#main, call, context).finally(() => (this.#others -= 1));
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
    return inTurn(this.#main, call, context).finally(() => (this.#commands -= 1));
  }

  /** The number of a shell that is like the main one. */
  #openSecondary(): number {
    let number = 2;
    while (this.#secondary.has(number)) number += 1;
    const { factory: host, quietMs } = this.#options;
    const origin = this.#main.controller.origin();
    this.#secondary.set(number, {
      controller: new ShellController(host, quietMs, { number, origin }),
      inTurn: mutex(),
    });
    return number;
  }

  async #callAddressed(number: number, call: ShellCall, context: ToolContext): Promise<TerminalReport> {
    const input = call.command.replace(address, '');
    if (number !== 1 && !this.#secondary.has(number))
      return refusalReport(call.command, `There is no shell ${number}: its command has ended, and the end was told.`);
    const plain = { ...call, command: input, is_input: input !== '' || call.reset };
    return number === 1 ? inTurn(this.#main, plain, context) : this.#callSecondary(number, plain, context);
  }

  async #callSecondary(number: number, call: ShellCall, context: ToolContext): Promise<TerminalReport> {
    const shell = this.#secondary.get(number) ?? this.#main;
    try {
      return await inTurn(shell, call, context);
    } finally {
      if (
        this.#secondary.get(number) === shell &&
        !shell.controller.hasUnreported &&
        !hasOtherProcesses(shell.controller.pid)
      ) {
        this.#secondary.delete(number);
        const closed = shell.controller.close().finally(() => this.#closing.delete(closed));
        this.#closing.add(closed);
      }
    }
  }
}

/** The shell that an input names. */
function addressOf({ command, is_input: isInput }: ShellCall): number | undefined {
  const number = isInput ? address.exec(command)?.[1] : undefined;
  return number === undefined ? undefined : Number(number);
}

/** What two calls must not use at the same time; nothing, for a command that has a shell of its own if need be. */
export function shellResources(call: ShellCall, maxShells: number): readonly string[] {
  if (maxShells > 1 && isCommand(call)) return [];
  const number = maxShells > 1 ? (addressOf(call) ?? 1) : 1;
  return [number === 1 ? 'terminal:session' : `terminal:session-${number}`];
}

function isCommand({ command, is_input: isInput, reset }: ShellCall): boolean {
  return !isInput && !reset && command.trim() !== '';
}

function inTurn(shell: Shell, call: ShellCall, context: ToolContext): Promise<TerminalReport> {
  return shell.inTurn(() => shell.controller.call(call, context), context.signal);
}
