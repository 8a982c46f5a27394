import { expect, test } from 'vitest';
import { LineTracker } from './line-tracker.ts';

/** Returns one of the numbers below `count`; each run of {@link everyRun} gets another sequence. */
type Choose = (count: number) => number;

/** Runs a function with every sequence of choices that it can make. Returns the number of runs. */
function everyRun(run: (choose: Choose) => void): number {
  const choices: { chosen: number; readonly count: number }[] = [];
  for (let runs = 1; ; runs += 1) {
    let made = 0;
    run((count) => {
      const choice = (choices[made] ??= { chosen: 0, count });
      made += 1;
      return choice.chosen;
    });
    choices.length = made;
    while (choices.length > 0 && choices.at(-1)?.chosen === (choices.at(-1)?.count ?? 0) - 1) choices.pop();
    const last = choices.at(-1);
    if (last === undefined) return runs;
    last.chosen += 1;
  }
}

/** A terminal and a bash that executes one endless command, as far as keys and lines can be lost between them. */
class Shell {
  readonly tracker = new LineTracker((id) => this.sent.push(id));
  readonly command = this.tracker.next();
  /** Lines and C-c that the terminal has not received yet. */
  readonly sent: (number | 'C-c')[] = [this.command];
  /** Lines that the shell has not read. */
  queue: number[] = [];
  /** Line that the shell is reading. */
  reading: number | undefined;
  /** Number of the last line that the shell has executed. */
  last = 0;
  isRunning = false;
  isSignalled = false;
  /** Prompts that the session has not received. */
  readonly prompts: number[] = [];

  interrupt(): void {
    this.tracker.disturb();
    this.sent.push('C-c');
  }

  /** Returns what can happen next. */
  moves(choose: Choose): (() => void)[] {
    const moves: (() => void)[] = [];
    if (this.sent.length > 0) moves.push(() => this.#receive());
    // A signal is delivered before the shell executes anything else.
    if (this.isSignalled) moves.push(() => this.#takeSignal(choose));
    else if (this.reading !== undefined) moves.push(() => this.#execute());
    else if (!this.isRunning && this.queue.length > 0) moves.push(() => (this.reading = this.queue.shift()));
    return moves;
  }

  /** True if the command may still run. */
  get holdsCommand(): boolean {
    const lines = [...this.sent, ...this.queue, this.reading];
    return this.isRunning || lines.includes(this.command);
  }

  get holdsInterrupt(): boolean {
    return this.isSignalled || this.sent.includes('C-c');
  }

  #receive(): void {
    const next = this.sent.shift();
    if (typeof next === 'number') this.queue.push(next);
    else {
      this.queue = [];
      this.isSignalled = true;
    }
  }

  #takeSignal(choose: Choose): void {
    this.isSignalled = false;
    const isIgnored = choose(2) === 1;
    // While the shell starts a program, C-c reaches neither.
    if (this.isRunning && isIgnored) return;
    // What bash has read ahead of the parser is not discarded.
    if (!isIgnored) this.reading = undefined;
    this.isRunning = false;
    this.prompts.push(this.last);
  }

  #execute(): void {
    this.last = this.reading ?? this.last;
    this.reading = undefined;
    this.isRunning = this.last === this.command;
    if (!this.isRunning) this.prompts.push(this.last);
  }
}

/** Runs a command and C-c in one order of events. Returns what is wrong with the reports of the tracker. */
function faultOf(choose: Choose): string | undefined {
  const shell = new Shell();
  const state = { interrupts: 0, hasEnded: false, isSettled: false, fault: undefined as string | undefined };
  const takePrompt = (): void => {
    const meaning = shell.tracker.prompt(shell.prompts.shift() ?? 0);
    state.isSettled = meaning === 'settled' || meaning === 'lost';
    state.hasEnded ||= state.isSettled || meaning === 'ended';
    if (state.hasEnded && shell.holdsCommand) state.fault = `${meaning}, but the command can still run`;
    if (state.isSettled && shell.holdsInterrupt) state.fault = `${meaning}, but C-c is still pending`;
    if (meaning === 'unusable') state.fault = meaning;
  };
  const interrupt = (): void => {
    state.interrupts += 1;
    shell.interrupt();
  };
  while (!state.isSettled && state.fault === undefined) {
    const moves = shell.moves(choose);
    if (shell.prompts.length > 0) moves.push(takePrompt);
    if (!state.hasEnded && state.interrupts < 2) moves.push(interrupt);
    // Only another C-c can end the command when the shell has ignored each one.
    if (moves.length === 0) return shell.isRunning ? undefined : 'nothing happens any more';
    moves[choose(moves.length)]?.();
  }
  return state.fault;
}

test('however C-c and lines cross, a command is reported as ended only when it has ended, and no C-c is left for the next', () => {
  const faults = new Set<string>();
  const runs = everyRun((choose) => {
    const fault = faultOf(choose);
    if (fault !== undefined) faults.add(fault);
  });
  expect([...faults]).toEqual([]);
  expect(runs).toBeGreaterThan(10_000);
});
