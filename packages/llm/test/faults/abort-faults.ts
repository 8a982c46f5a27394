import assert from 'node:assert/strict';
import { setImmediate as turn } from 'node:timers/promises';
import type { Delta } from '../../src/delta.ts';
import { LlmError } from '../../src/error.ts';
import { retry } from '../../src/retry.ts';
import { userRequest, type ScriptedStep } from '../../src/testing/index.ts';
import { answered, fine, half, long } from './answers.ts';
import type { FaultPlay, Stage } from './fault-row.ts';
import { modelAt, serve } from './run-fault.ts';

const hang = (afterPieces: number) => ({ kind: 'hang', afterPieces }) as const;

interface Aborted {
  readonly steps: (caller: AbortController) => readonly ScriptedStep[];
  /** At which delta the caller leaves, counted from 1. */
  readonly atDelta?: number;
  /** Requests that reach the server, and deltas that reach the caller. */
  readonly requests: number;
  readonly deltas: number;
  readonly isBefore?: boolean;
  readonly isWaiting?: boolean;
}

/** Aborts a call behind `retry`; afterwards nothing may be heard of it, and its connections are left. */
async function abort(stage: Stage, { steps, atDelta, requests, deltas, isBefore, isWaiting }: Aborted): Promise<void> {
  const caller = new AbortController();
  await using server = await serve(stage, steps(caller));
  const heard: Delta[] = [];
  // Waits as long as its own clock says, which an abort ends early.
  const patient = retry({ random: () => 1, onRetry: () => isWaiting && setImmediate(() => caller.abort()) });
  if (isBefore) caller.abort();
  const asked = patient(modelAt(stage, server)).generate(userRequest('Hi'), {
    signal: caller.signal,
    onDelta(delta) {
      heard.push(delta);
      if (heard.length === atDelta) caller.abort(new Error('enough'));
    },
  });
  const error: unknown = await asked.catch((caught: unknown) => caught);
  assert.ok(error instanceof LlmError, String(error));
  assert.equal(error.code, 'aborted');
  assert.equal(error.cause, caller.signal.reason, 'the reason of the caller is lost');
  for (let count = 0; count < 5; count += 1) await turn();
  assert.equal(heard.length, deltas, 'a delta after the end');
  assert.equal(server.requests.length, requests);
  const left = await Promise.all(server.requests.map(({ abandoned }) => abandoned));
  assert.deepEqual(left, isWaiting ? [false] : server.requests.map(() => true));
}

/** F57 and F58: what the caller ends. */
export const abortFaults: readonly FaultPlay[] = [
  {
    fault: 57,
    title: 'a call that is aborted before it begins asks nothing',
    play: (stage) => abort(stage, { steps: () => [fine], isBefore: true, requests: 0, deltas: 0 }),
  },
  {
    fault: 57,
    title: 'a call that is aborted before the answer leaves its connection',
    play: (stage) =>
      abort(stage, {
        steps: (caller) => [
          () => {
            setImmediate(() => caller.abort());
            return { ...long, fault: hang(0) };
          },
        ],
        requests: 1,
        deltas: 0,
      }),
  },
  {
    fault: 57,
    title: 'a call that is aborted within its text leaves its connection',
    ways: ['streamed'],
    play: (stage) => abort(stage, { steps: () => [{ ...long, fault: hang(4) }], atDelta: 1, requests: 1, deltas: 1 }),
  },
  {
    fault: 57,
    title: 'a call that is aborted within arguments leaves its connection, and makes no call',
    ways: ['streamed'],
    play: (stage) => abort(stage, { steps: () => [{ ...half, fault: hang(5) }], atDelta: 2, requests: 1, deltas: 2 }),
  },
  {
    fault: 57,
    title: 'a call that is aborted within the body of its answer leaves its connection',
    ways: ['whole'],
    play: (stage) =>
      abort(stage, {
        steps: (caller) => [
          () => {
            setImmediate(() => setImmediate(() => caller.abort()));
            return { ...long, fault: hang(1) };
          },
        ],
        requests: 1,
        deltas: 0,
      }),
  },
  {
    fault: 57,
    title: 'a call that is aborted while it waits to be tried again is not tried again',
    play: (stage) =>
      abort(stage, {
        steps: () => [answered({ status: 503, body: '' }), fine],
        isWaiting: true,
        requests: 1,
        deltas: 0,
      }),
  },
  {
    fault: 58,
    title: 'a callback that throws ends the call with its own error, not tried again',
    async play(stage) {
      await using server = await serve(stage, [stage.way === 'streamed' ? { ...long, fault: hang(4) } : long, fine]);
      const bug = new TypeError('broken display');
      let count = 0;
      const asked = retry()(modelAt(stage, server)).generate(userRequest('Hi'), {
        onDelta() {
          count += 1;
          throw bug;
        },
      });
      await assert.rejects(asked, bug);
      assert.deepEqual([count, server.requests.length], [1, 1]);
      assert.equal(await server.requests[0]?.abandoned, stage.way === 'streamed');
    },
  },
];
