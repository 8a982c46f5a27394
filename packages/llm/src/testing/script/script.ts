import { createHash } from 'node:crypto';
import { textOf } from '@varve/events';
import { LlmError } from '../../error.ts';
import type { ModelRequest } from '../../model-request.ts';
import { scriptDiff, type Exchange } from './script-diff.ts';
import type { ScriptedCall, ScriptedStep, ScriptedTurn } from './scripted-step.ts';

/** A call with nothing left open. */
interface CompleteCall {
  readonly id: string;
  readonly name: string;
  readonly arguments: string;
}

/** A turn with nothing left open. */
export interface CompleteTurn extends Omit<ScriptedTurn, 'calls'> {
  readonly id: string;
  readonly calls: readonly CompleteCall[];
}

/** Deals out the steps of a script, one per request, and notices when requests and steps do not fit. */
export interface Script {
  /** @throws {LlmError} `script-mismatch` when no step is left, the step expects another request, or throws. */
  next(request: ModelRequest): Promise<CompleteTurn>;
  /**
   * @throws {LlmError} `script-mismatch` when a request did not fit, or a step was never asked for; below the first problem
   * its message shows the script beside what was asked, a line each.
   */
  assertDone(): void;
}

/** Steps of a script without end that are shown as never asked for. */
const shownSteps = 5;

/** A script of steps, which are taken in order and may be without end. */
export function script(steps: Iterable<ScriptedStep>): Script {
  const iterator = steps[Symbol.iterator]();
  const exchanges: Exchange[] = [];
  const left: ScriptedStep[] = [];
  let problem: LlmError | undefined;
  const mismatch = (message: string, options: ErrorOptions = {}): LlmError => {
    const error = new LlmError('script-mismatch', message, options);
    problem ??= error;
    return error;
  };
  const unexpected = (asked: string): LlmError => {
    const dealt = exchanges.filter(({ step }) => step !== undefined).length;
    exchanges.push({ asked });
    return mismatch(`Request ${exchanges.length} was not expected: the script has ${dealt} steps.`);
  };
  return {
    async next(request) {
      const last = textOf(request.messages.at(-1)?.content ?? []);
      const asked = last.slice(0, 200);
      const { done, value: step } = iterator.next();
      if (done) throw unexpected(asked);
      const position = exchanges.push({ asked, step });
      const misfit = (message: string, options?: ErrorOptions): LlmError => {
        exchanges[position - 1] = { asked, step, problem: message };
        return mismatch(message, options);
      };
      const turn = await turnOf(step, request).catch((error: unknown) => {
        const said = error instanceof Error ? error.message : String(error);
        throw misfit(`Step ${position} threw: ${said}`, { cause: error });
      });
      if (turn.expect !== undefined && !fits(last, turn.expect)) {
        throw misfit(`Step ${position} expects ${String(turn.expect)}, but was asked "${asked}".`);
      }
      return completeTurn(turn, seedOf(request, position));
    },
    assertDone() {
      while (left.length < shownSteps) {
        const { done, value: step } = iterator.next();
        if (done) break;
        left.push(step);
      }
      if (left.length > 0) mismatch(`Step ${exchanges.length + 1} of the script was never asked for.`);
      if (!problem) return;
      throw new LlmError('script-mismatch', `${problem.message}\n${scriptDiff(exchanges, left)}`, { cause: problem });
    },
  };
}

async function turnOf(step: ScriptedStep, request: ModelRequest): Promise<ScriptedTurn> {
  return typeof step === 'function' ? step(request) : step;
}

function fits(text: string, expected: string | RegExp): boolean {
  return typeof expected === 'string' ? text.includes(expected) : expected.test(text);
}

/** Differs between the requests of a conversation, also after a restart, without reading all of a long history. */
function seedOf({ messages }: ModelRequest, position: number): string {
  const facts = JSON.stringify([position, messages.length, messages.slice(-2)]);
  return createHash('sha256').update(facts).digest('hex').slice(0, 12);
}

function completeTurn(turn: ScriptedTurn, seed: string): CompleteTurn {
  const calls = (turn.calls ?? []).map((call, index) => completeCall(call, `call_${seed}_${index + 1}`));
  return { ...turn, id: turn.id ?? `reply_${seed}`, calls };
}

function completeCall({ id, name, arguments: given }: ScriptedCall, madeUp: string): CompleteCall {
  return { id: id ?? madeUp, name, arguments: typeof given === 'string' ? given : JSON.stringify(given) };
}
