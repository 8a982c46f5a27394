import { createHash } from 'node:crypto';
import { textOf } from '@varve/events';
import { LlmError } from '../../error.ts';
import type { ModelRequest } from '../../model-request.ts';
import { scriptDiff, type ScriptEntry } from './script-diff.ts';
import type { ScriptedCall, ScriptedStep, ScriptedTurn } from './scripted-step.ts';

/** A scripted call with its id and the text of its arguments. */
interface CompleteCall {
  readonly id: string;
  readonly name: string;
  readonly arguments: string;
}

/** A scripted turn with the ids of the reply and its calls. */
export interface CompleteTurn extends Omit<ScriptedTurn, 'calls'> {
  readonly id: string;
  readonly calls: readonly CompleteCall[];
}

/** Returns the steps of a script, one per request, and detects requests that do not match their step. */
export interface Script {
  /**
   * Returns the next turn. @throws {LlmError} `script-mismatch` without a next step, or when the step expects another
   * request or throws.
   */
  next(request: ModelRequest): Promise<CompleteTurn>;
  /**
   * @throws {LlmError} `script-mismatch` when a request did not match its step, or a step was not requested. The
   * message is the first problem, followed by a comparison of steps and requests, one line each.
   */
  assertDone(): void;
}

/** Maximum number of unrequested steps in the comparison: a script may be endless. */
const shownSteps = 5;

/** Creates a script of steps, which are used in order and may be endless. */
export function script(steps: Iterable<ScriptedStep>): Script {
  const iterator = steps[Symbol.iterator]();
  const exchanges: ScriptEntry[] = [];
  const unrequested: ScriptedStep[] = [];
  let problem: LlmError | undefined;
  const mismatch = (message: string, options: ErrorOptions = {}): LlmError => {
    const error = new LlmError('script-mismatch', message, options);
    problem ??= error;
    return error;
  };
  const unexpected = (request: string): LlmError => {
    const stepCount = exchanges.filter(({ step }) => step !== undefined).length;
    exchanges.push({ request });
    return mismatch(`Request ${exchanges.length} was not expected: the script has ${stepCount} steps.`);
  };
  return {
    async next(request) {
      const last = textOf(request.messages.at(-1)?.content ?? []);
      const ending = last.slice(0, 200);
      const { done, value: step } = iterator.next();
      if (done) throw unexpected(ending);
      const position = exchanges.push({ request: ending, step });
      const mismatchAt = (message: string, options?: ErrorOptions): LlmError => {
        exchanges[position - 1] = { request: ending, step, problem: message };
        return mismatch(message, options);
      };
      const turn = await turnOf(step, request).catch((error: unknown) => {
        const cause = error instanceof Error ? error.message : String(error);
        throw mismatchAt(`Step ${position} threw: ${cause}`, { cause: error });
      });
      if (turn.expect !== undefined && !matchesText(last, turn.expect)) {
        throw mismatchAt(`Step ${position} expects ${String(turn.expect)}, but the request is "${ending}".`);
      }
      return completeTurn(turn, seedOf(request, position));
    },
    assertDone() {
      while (unrequested.length < shownSteps) {
        const { done, value: step } = iterator.next();
        if (done) break;
        unrequested.push(step);
      }
      if (unrequested.length > 0) mismatch(`Step ${exchanges.length + 1} of the script was not requested.`);
      if (!problem) return;
      throw new LlmError('script-mismatch', `${problem.message}\n${scriptDiff(exchanges, unrequested)}`, {
        cause: problem,
      });
    },
  };
}

async function turnOf(step: ScriptedStep, request: ModelRequest): Promise<ScriptedTurn> {
  return typeof step === 'function' ? step(request) : step;
}

function matchesText(text: string, expected: string | RegExp): boolean {
  return typeof expected === 'string' ? text.includes(expected) : expected.test(text);
}

/** Returns a text that differs between the requests of a conversation, also after a restart, and reads only its end. */
function seedOf({ messages }: ModelRequest, position: number): string {
  const facts = JSON.stringify([position, messages.length, messages.slice(-2)]);
  return createHash('sha256').update(facts).digest('hex').slice(0, 12);
}

function completeTurn(turn: ScriptedTurn, seed: string): CompleteTurn {
  const calls = (turn.calls ?? []).map((call, index) => completeCall(call, `call_${seed}_${index + 1}`));
  return { ...turn, id: turn.id ?? `reply_${seed}`, calls };
}

function completeCall({ id, name, arguments: values }: ScriptedCall, defaultId: string): CompleteCall {
  return { id: id ?? defaultId, name, arguments: typeof values === 'string' ? values : JSON.stringify(values) };
}
