import type { ActionEvent } from '@varve/events/kinds';
import type { AskForServer } from '@varve/tools/mcp';
import { varveHome } from '../setup/varve-home.ts';
import { styled } from '../terminal/output.ts';
import { quotedRows, readingHints } from '../terminal/rows.ts';
import type { Display } from './event-printer.ts';
import { callRows } from './waiting-call.ts';
import { taskQueue } from './task-queue.ts';
import { answerServer, type Asker, type ChoiceQuestion } from './answer-server.ts';

/**
 * Questions to the person at the terminal while an agent works, one at a time: sub-agents work in parallel. Before
 * `open` and after its signal aborts, nothing is asked, and the answer is no.
 */
export class Questions {
  readonly #display: Display;
  #signal = AbortSignal.abort();

  constructor(display: Display) {
    this.#display = display;
  }

  /** Asks from now on, until the signal aborts. */
  open(signal: AbortSignal): void {
    this.#signal = signal;
  }

  /** Runs a function that asks after the ones before it. */
  readonly inTurn = taskQueue();

  /** Asks whether programs may connect to a host that no rule names. */
  async allowsHost(host: string, workspace: string): Promise<boolean> {
    const choices = { y: 'for this session', a: `always in this project: allow host ${host}`, n: 'no' };
    const title = `A program in the sandbox connects to ${host}. Allow it?`;
    const answer = await this.#inTurnUnless(this.#signal, async () => this.#choose({ title, choices }, this.#signal));
    if (answer === 'a') {
      const { permissionStore } = await import('@varve/settings/trust');
      const rule = { decision: 'allow', on: 'host', pattern: host } as const;
      await permissionStore(varveHome(this.#display.io)).add([rule], 'project', workspace);
    }
    return answer === 'y' || answer === 'a';
  }

  /** Asks whether a call to which the sandbox refused something runs once more, outside of it. */
  async allowsOutside(refusal: string, event: ActionEvent, signal: AbortSignal): Promise<boolean> {
    const { columns } = this.#display.io.stderr;
    const title = `${refusal} Run this once outside of it, with all of your rights?`;
    const choices = { y: 'run it once outside, in a fresh shell', n: 'no' };
    const question = { title, rows: callRows({ event }, columns), choices };
    const either = AbortSignal.any([signal, this.#signal]);
    return (await this.#inTurnUnless(either, async () => this.#choose(question, either))) === 'y';
  }

  /** Asks what a server of tools asks for. */
  async answersServer(...[question, signal]: Parameters<AskForServer>): ReturnType<AskForServer> {
    const { io } = this.#display;
    const asker: Asker = {
      io,
      columns: io.stderr.columns,
      choose: async (...asked) => this.#choose(...asked),
      type: async (title, aborted) => {
        for (const row of quotedRows(title, io.stderr.columns)) io.stderr.text(styled('yellow', row));
        return io.ask('Answer: ', aborted);
      },
    };
    const either = AbortSignal.any([signal, this.#signal]);
    const answer = await this.#inTurnUnless(either, async () => answerServer(question, asker, either));
    return answer ?? 'cancel';
  }

  /** Asks after the questions before, below which no line is printed; undefined if the signal has aborted. */
  async #inTurnUnless<T>(signal: AbortSignal, ask: () => Promise<T>): Promise<T | undefined> {
    return this.inTurn(async () => (signal.aborted ? undefined : this.#display.progress.hiddenDuring(ask)));
  }

  /** Returns the letters of the answer; undefined for the end of the input and an abort. */
  async #choose({ title, rows = [], choices }: ChoiceQuestion, signal: AbortSignal): Promise<string | undefined> {
    const { io } = this.#display;
    const { stderr } = io;
    const letters = Object.keys(choices);
    const titles = quotedRows(title, stderr.columns);
    const texts = Object.entries(choices).flatMap(([letter, text]) =>
      quotedRows(`[${letter}] ${text}`, stderr.columns),
    );
    for (const row of titles) stderr.text(styled('yellow', row));
    for (const row of [...rows, ...texts]) stderr.text(row);
    for (const hint of readingHints([...titles, ...rows], stderr)) stderr.text(styled('yellow', hint));
    for (;;) {
      const answer = (await io.ask('Choice: ', signal))?.trim().toLowerCase();
      if (answer === undefined) stderr.line('');
      if (answer === undefined || letters.includes(answer)) return answer;
      stderr.text(`Type one of: ${letters.join(', ')}.`);
    }
  }
}
