import { createHash } from 'node:crypto';
import { textOf } from '@varve/events';
import { LlmError } from '../error.ts';
import type { ModelRequest } from '../model-request.ts';
import type { ScriptedCall, ScriptedStep, ScriptedTurn } from './scripted-step.ts';

/** A call with nothing left open. */
interface PlayedCall {
  readonly id: string;
  readonly name: string;
  readonly arguments: string;
}

/** A turn with nothing left open. */
export interface PlayedTurn extends Omit<ScriptedTurn, 'calls'> {
  readonly id: string;
  readonly calls: readonly PlayedCall[];
}

/** Deals out the steps of a script, one per request, and notices when requests and steps do not fit. */
export interface Script {
  /** @throws {LlmError} `script-mismatch` when no step is left, the step expects another request, or throws. */
  next(request: ModelRequest): Promise<PlayedTurn>;
  /** @throws {LlmError} `script-mismatch` when a request did not fit, or a step was never asked for. */
  assertDone(): void;
}

/** A script of steps, which are taken in order and may be without end. */
export function script(steps: Iterable<ScriptedStep>): Script {
  const iterator = steps[Symbol.iterator]();
  let taken = 0;
  let problem: LlmError | undefined;
  const mismatch = (message: string, options: ErrorOptions = {}): LlmError => {
    const error = new LlmError('script-mismatch', message, options);
    problem ??= error;
    return error;
  };
  const turnOf = async (step: ScriptedStep, request: ModelRequest, position: number): Promise<ScriptedTurn> => {
    try {
      return typeof step === 'function' ? await step(request) : step;
    } catch (error) {
      throw mismatch(`Step ${position} threw: ${error instanceof Error ? error.message : String(error)}`, {
        cause: error,
      });
    }
  };
  return {
    async next(request) {
      const { done, value: step } = iterator.next();
      if (done) throw mismatch(`Request ${taken + 1} was not expected: the script has ${taken} steps.`);
      taken += 1;
      const position = taken;
      const turn = await turnOf(step, request, position);
      const last = textOf(request.messages.at(-1)?.content ?? []);
      if (turn.expect !== undefined && !fits(last, turn.expect)) {
        throw mismatch(`Step ${position} expects ${String(turn.expect)}, but was asked "${last.slice(0, 200)}".`);
      }
      return played(turn, seedOf(request, position));
    },
    assertDone() {
      if (problem) throw problem;
      if (!iterator.next().done) throw mismatch(`Step ${taken + 1} of the script was never asked for.`);
    },
  };
}

function fits(text: string, expected: string | RegExp): boolean {
  return typeof expected === 'string' ? text.includes(expected) : expected.test(text);
}

/** Differs between the requests of a conversation, also after a restart, without reading all of a long history. */
function seedOf({ messages }: ModelRequest, position: number): string {
  const facts = JSON.stringify([position, messages.length, messages.slice(-2)]);
  return createHash('sha256').update(facts).digest('hex').slice(0, 12);
}

function played(turn: ScriptedTurn, seed: string): PlayedTurn {
  const calls = (turn.calls ?? []).map((call, index) => playedCall(call, `call_${seed}_${index + 1}`));
  return { ...turn, id: turn.id ?? `reply_${seed}`, calls };
}

function playedCall({ id, name, arguments: given }: ScriptedCall, madeUp: string): PlayedCall {
  return { id: id ?? madeUp, name, arguments: typeof given === 'string' ? given : JSON.stringify(given) };
}
