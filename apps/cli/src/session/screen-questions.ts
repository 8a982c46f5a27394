import type { ActionEvent } from '@varve/events/kinds';
import type { AskForServer } from '@varve/tools/mcp';
import { answerServer, type Asker } from '../run/answer-server.ts';
import type { Approval, Question } from '../run/ask-approval.ts';
import type { Questions } from '../run/questions.ts';
import { callRows } from '../run/waiting-call.ts';
import { taskQueue } from '../run/task-queue.ts';
import { varveHome } from '../setup/varve-home.ts';
import { revealedLine } from '../terminal/rows.ts';
import type { TerminalIo } from '../terminal/terminal-io.ts';
import { ApprovalPrompt } from './prompts.ts';
import { TextPrompt } from './text-prompt.ts';
import type { Screen } from './screen.ts';

/** Questions of a run to the person at the screen, one at a time. */
export class ScreenQuestions implements Pick<Questions, 'allowsHost' | 'allowsOutside' | 'answersServer' | 'inTurn'> {
  readonly #screen: Screen;
  readonly io: TerminalIo;
  #open: ApprovalPrompt | undefined;
  readonly #allowedHosts = new Set<string>();

  constructor(screen: Screen, io: TerminalIo) {
    this.#screen = screen;
    this.io = io;
  }

  /** Leaves the open question about a call undecided. */
  cancel(): void {
    this.#open?.cancel();
  }

  /** Asks about one call. */
  readonly ask = async (question: Question): Promise<Approval> => {
    this.#screen.status.set(undefined);
    this.#open = new ApprovalPrompt(question, this.#screen.theme, this.#screen.newEditor());
    const approval = await this.#screen.ask(this.#open);
    this.#open = undefined;
    return approval;
  };

  readonly showOutput = (chunk: string, callId: string): void => {
    this.#screen.status.set('running your command');
    this.#screen.live.addOutput(chunk, callId);
    this.#screen.draw();
  };

  readonly inTurn = taskQueue();

  /** Forgets the hosts that were allowed for the session. */
  endApprovals(): void {
    this.#allowedHosts.clear();
  }

  async allowsHost(host: string, workspace: string): Promise<boolean> {
    if (this.#allowedHosts.has(host)) return true;
    const title = `A program in the sandbox connects to ${host}. Allow it?`;
    const items = [
      { value: 'n', label: 'no' },
      { value: 'y', label: 'for this session' },
      { value: 'a', label: `always in this project: allow host ${host}` },
    ];
    const answer = await this.inTurn(async () => this.#screen.choose({ title, items }));
    if (answer === 'a') {
      const { permissionStore } = await import('@varve/settings/trust');
      const rule = { decision: 'allow', on: 'host', pattern: host } as const;
      await permissionStore(varveHome(this.io)).add([rule], 'project', workspace);
    }
    if (answer === 'y') this.#allowedHosts.add(host);
    return answer === 'y' || answer === 'a';
  }

  async allowsOutside(refusal: string, event: ActionEvent): Promise<boolean> {
    const title = `${refusal} Run this once outside of it, with all of your rights?`;
    const items = [
      { value: 'n', label: 'no' },
      { value: 'y', label: 'run it once outside, in a fresh shell' },
    ];
    return this.inTurn(async () => {
      this.#screen.print(callRows({ event }, this.#screen.columns).join('\n'));
      return (await this.#screen.choose({ title, items })) === 'y';
    });
  }

  async answersServer(...[question, signal]: Parameters<AskForServer>): ReturnType<AskForServer> {
    const screen = this.#screen;
    screen.status.set(undefined);
    const asker: Asker = {
      io: this.io,
      columns: screen.columns,
      choose: async ({ title, rows = [], choices }, aborted) => {
        const items = Object.entries(choices).map(([value, label]) => ({ value, label }));
        if (rows.length > 0) screen.print([title, ...rows].join('\n'));
        return screen.choose({ title, items }, aborted);
      },
      type: async (title, aborted) => {
        const typed = await screen.ask(new TextPrompt(title, screen.theme), aborted);
        if (typed !== undefined) screen.print(`${revealedLine(title)}: ${typed}`, 'dim');
        return typed;
      },
    };
    return this.inTurn(async () => (signal.aborted ? 'cancel' : answerServer(question, asker, signal)));
  }
}
