import { AgentError } from '../error.ts';
import type { RunLock } from '../run/run-lock.ts';
import { startDrafts } from '../run/run-loop.ts';
import type { Session } from '../agent/session.ts';
import { goalDraft, type GoalState } from '../log/projections/goal-projection.ts';
import { pursueGoal, type GoalResult, type GoalStart, type PursueOptions } from './pursue-goal.ts';

/** Options of `Goal.start` and `Goal.resume`. */
export interface GoalOptions extends PursueOptions {
  /** Maximum number of rounds, at least 1; default 10, or that of the goal that is resumed. */
  readonly maxIterations?: number;
}

/** Loop of a requested goal. Resolves when it ends. @throws {AgentError} `busy`, and what `run` throws. */
export type GoalLoop = (options: PursueOptions) => Promise<GoalResult>;

/** What a goal needs of its conversation. */
interface GoalHost {
  readonly session: Session;
  readonly runLock: RunLock;
  readonly assertUsable: () => void;
}

const defaultRounds = 10;

/**
 * Loop that pursues an objective: it sends the objective, runs the agent, lets a model judge the work, and sends what
 * is missing, until the judge accepts the work or the rounds are used up. Each state is a state update with the key
 * `goal` in the log, in the same append as the message that belongs to it.
 *
 * The loop is a run: no other run starts during it, and `pause`, `interrupt`, a limit, an error and calls that wait for
 * approval end it as `interrupted`. A message of the user interrupts it too, and is answered before the loop ends. A
 * goal whose process ended is interrupted; the next append stores that.
 *
 * @see software-agent-sdk conversation/goal
 */
export class Goal {
  readonly #host: GoalHost;

  constructor(host: GoalHost) {
    this.#host = host;
  }

  /** State of the last goal; undefined without one. */
  get state(): GoalState | undefined {
    return this.#host.session.goals.state;
  }

  /**
   * Pursues an objective and resolves when the loop ends.
   *
   * @throws {AgentError} `invalid` for an objective without text or a number of rounds below 1, `busy`, `blocked`, and
   * what `run` throws.
   */
  async start(objective: string, options: GoalOptions = {}): Promise<GoalResult> {
    const { maxIterations = defaultRounds } = options;
    return this.#pursue(options, () => newGoal(objective, maxIterations));
  }

  /**
   * Stores that a goal is requested, with the status `running`, and resolves with its loop, which the caller calls
   * once, at any time. Until it is called, a message of the user or `stop` interrupts the goal; the loop then only
   * answers what was sent. In a process that opens the conversation after a crash, `isAbandoned` is true.
   *
   * @throws {AgentError} `invalid`, `closed`.
   */
  async request(objective: string, maxIterations = defaultRounds): Promise<GoalLoop> {
    return this.#request(() => newGoal(objective, maxIterations));
  }

  /** As `request`, for the interrupted goal. @throws {AgentError} `nothing-to-do` when none was interrupted. */
  async requestResume(): Promise<GoalLoop> {
    return this.#request(() => this.#interruptedGoal(undefined));
  }

  /** True for a goal that was requested or pursued by a process that has ended since. */
  get isAbandoned(): boolean {
    return this.#host.session.goals.isAbandoned;
  }

  /**
   * Continues the interrupted goal where it was. Calls that were open are completed as in a run.
   *
   * @throws {AgentError} `nothing-to-do` when no goal was interrupted, `invalid`, `busy`, and what `run` throws.
   */
  async resume(options: GoalOptions = {}): Promise<GoalResult> {
    if (options.maxIterations !== undefined) checkRounds(options.maxIterations);
    return this.#pursue(options, () => this.#interruptedGoal(options.maxIterations));
  }

  /**
   * Interrupts the running goal, and reports whether there was one. A run in progress continues to its end, and is not
   * judged.
   *
   * @throws {AgentError} `closed`.
   */
  async stop(): Promise<boolean> {
    const { session, assertUsable } = this.#host;
    assertUsable();
    // A goal that another process left would be resumed otherwise.
    await session.journal.emitPreamble();
    const events = await session.journal.emit(() => session.goals.interruptDrafts());
    session.goals.cancelIfEnded();
    return events.length > 0;
  }

  #interruptedGoal(maxIterations: number | undefined): GoalStart {
    const { session } = this.#host;
    const { state } = this;
    if (state?.status !== 'interrupted') {
      throw new AgentError('nothing-to-do', `Conversation ${session.conversationId} has no interrupted goal.`);
    }
    const goal = { ...state, ...running, max_iterations: maxIterations ?? state.max_iterations };
    const hasCalls = session.journal.timeline.read('pending').length > 0;
    return { goal, ...(!hasCalls && { message: resumption(goal) }) };
  }

  async #request(start: () => GoalStart): Promise<GoalLoop> {
    const { session, assertUsable } = this.#host;
    assertUsable();
    const requested = start();
    await session.journal.emit(() => {
      // A goal that another process left is stored as interrupted in the same append: a crash leaves it as it was.
      const left = session.goals.abandonedDrafts();
      session.goals.request();
      const { execution } = session.journal.timeline.read('status');
      return [...left, goalDraft(requested.goal), ...startDrafts(execution)];
    });
    return (options) => this.#pursue(options, () => ({ ...requested, isRequested: true }));
  }

  async #pursue(options: GoalOptions, start: () => GoalStart): Promise<GoalResult> {
    const { session, runLock, assertUsable } = this.#host;
    assertUsable();
    return runLock.exclusive((control) => pursueGoal(start(), options, session, control));
  }
}

function newGoal(objective: string, maxIterations: number): GoalStart {
  if (objective.trim() === '') throw new AgentError('invalid', 'A goal needs an objective.');
  checkRounds(maxIterations);
  return {
    message: objective,
    goal: { ...running, iteration: 0, max_iterations: maxIterations, objective, verdict: null },
  };
}

const running = { active: true, status: 'running' } as const;

function checkRounds(maxIterations: number): void {
  if (Number.isSafeInteger(maxIterations) && maxIterations >= 1) return;
  throw new AgentError('invalid', `A goal cannot have ${maxIterations} rounds.`);
}

function resumption({ objective, verdict }: GoalState): string {
  const missing = verdict?.missing.trim() ? `\n\nWhat remained at the last check:\n${verdict.missing.trim()}` : '';
  return `Resume the work on this objective, which was interrupted: ${objective}${missing}

Look at the workspace as it is now instead of relying on memory. Finish when every requirement is proved by tests or commands that you ran.`;
}
