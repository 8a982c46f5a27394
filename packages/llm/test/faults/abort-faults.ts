import assert from 'node:assert/strict';
import { setImmediate as turn } from 'node:timers/promises';
import type { Delta } from '../../src/delta.ts';
import { LlmError } from '../../src/error.ts';
import { retry } from '../../src/retry.ts';
import { userRequest, type ScriptedStep } from '../../src/testing/index.ts';
import { rawResponse, fine, half, long } from './answers.ts';
import type { FaultScenario, Variant } from './fault-row.ts';
import { modelAt, serve } from './run-fault.ts';

const hang = (afterPieces: number) => ({ kind: 'hang', afterPieces }) as const;

interface Aborted {
  readonly steps: (caller: AbortController) => readonly ScriptedStep[];
  /** Delta at which the caller aborts, counted from 1. */
  readonly atDelta?: number;
  /** Requests that reach the server, and deltas that reach the caller. */
  readonly requests: number;
  readonly deltas: number;
  readonly isBefore?: boolean;
  readonly isWaiting?: boolean;
}

/** Aborts a call of `retry`; afterwards no delta may follow, and its connections must be closed. */
async function abort(
  variant: Variant,
  { steps, atDelta, requests, deltas, isBefore, isWaiting }: Aborted,
): Promise<void> {
  const caller = new AbortController();
  await using server = await serve(variant, steps(caller));
  const deltasSeen: Delta[] = [];
  // Waits in real time, which an abort ends early.
  const retrying = retry({ random: () => 1, onRetry: () => isWaiting && setImmediate(() => caller.abort()) });
  if (isBefore) caller.abort();
  const call = retrying(modelAt(variant, server)).generate(userRequest('Hi'), {
    signal: caller.signal,
    onDelta(delta) {
      deltasSeen.push(delta);
      if (deltasSeen.length === atDelta) caller.abort(new Error('enough'));
    },
  });
  const error: unknown = await call.catch((caught: unknown) => caught);
  assert.ok(error instanceof LlmError, String(error));
  assert.equal(error.code, 'aborted');
  assert.equal(error.cause, caller.signal.reason, 'the reason of the caller is lost');
  for (let count = 0; count < 5; count += 1) await turn();
  assert.equal(deltasSeen.length, deltas, 'a delta after the end');
  assert.equal(server.requests.length, requests);
  const left = await Promise.all(server.requests.map(({ abandoned }) => abandoned));
  assert.deepEqual(left, isWaiting ? [false] : server.requests.map(() => true));
}

/** F57 and F58: calls ended by the caller. */
export const abortFaults: readonly FaultScenario[] = [
  {
    fault: 57,
    title: 'a call aborted before it starts sends no request',
    run: (variant) => abort(variant, { steps: () => [fine], isBefore: true, requests: 0, deltas: 0 }),
  },
  {
    fault: 57,
    title: 'a call aborted before the response closes its connection',
    run: (variant) =>
      abort(variant, {
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
    title: 'a call aborted within its text closes its connection',
    modes: ['streamed'],
    run: (variant) =>
      abort(variant, { steps: () => [{ ...long, fault: hang(4) }], atDelta: 1, requests: 1, deltas: 1 }),
  },
  {
    fault: 57,
    title: 'a call aborted within arguments closes its connection and returns no tool call',
    modes: ['streamed'],
    run: (variant) =>
      abort(variant, { steps: () => [{ ...half, fault: hang(5) }], atDelta: 2, requests: 1, deltas: 2 }),
  },
  {
    fault: 57,
    title: 'a call aborted within the body of its response closes its connection',
    modes: ['whole'],
    run: (variant) =>
      abort(variant, {
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
    title: 'a call aborted while it waits for a retry is not retried',
    run: (variant) =>
      abort(variant, {
        steps: () => [rawResponse({ status: 503, body: '' }), fine],
        isWaiting: true,
        requests: 1,
        deltas: 0,
      }),
  },
  {
    fault: 58,
    title: 'an error thrown by a callback ends the call and is not retried',
    async run(variant) {
      await using server = await serve(variant, [
        variant.mode === 'streamed' ? { ...long, fault: hang(4) } : long,
        fine,
      ]);
      const bug = new TypeError('broken display');
      let count = 0;
      const call = retry()(modelAt(variant, server)).generate(userRequest('Hi'), {
        onDelta() {
          count += 1;
          throw bug;
        },
      });
      await assert.rejects(call, bug);
      assert.deepEqual([count, server.requests.length], [1, 1]);
      assert.equal(await server.requests[0]?.abandoned, variant.mode === 'streamed');
    },
  },
];
