import assert from 'node:assert/strict';
import { setImmediate as turn } from 'node:timers/promises';
import { LlmError } from '../../src/error.ts';
import { retry } from '../../src/retry.ts';
import { userRequest, type ScriptedStep } from '../../src/testing/index.ts';
import { rawResponse, eventStream, fine, long, streamedReply } from './answers.ts';
import type { Clock, Variant, TimedScenario } from './fault-row.ts';
import { modelAt, retryWithoutWaiting, serve } from './run-fault.ts';

/** Creates a stream whose pieces are sent on request. */
function controlledStream() {
  let sent = Promise.withResolvers<void>();
  let next = Promise.withResolvers<string>();
  async function* pieces(): AsyncGenerator<string> {
    for (;;) {
      yield await next.promise;
      next = Promise.withResolvers();
      sent.resolve();
    }
  }
  return {
    step: rawResponse({ headers: eventStream, body: pieces() }),
    /** Sends a piece and waits until it is received. */
    async send(piece: string): Promise<void> {
      sent = Promise.withResolvers();
      next.resolve(piece);
      await sent.promise;
      await flushEvents();
    },
  };
}

/** Waits for pending local I/O. */
async function flushEvents(): Promise<void> {
  for (let count = 0; count < 20; count += 1) await turn();
}

/** Typical timeouts. */
const limits = { idleTimeoutMs: 120_000, timeoutMs: 900_000 };

interface CallOutcome {
  readonly failures: readonly LlmError[];
  readonly text: string | undefined;
}

/** A running call. */
interface StartedCall {
  readonly outcome: Promise<CallOutcome>;
  readonly isOver: () => boolean;
}

/** Starts a call. */
function startCall(variant: Variant, url: string): StartedCall {
  const failures: LlmError[] = [];
  let isOver = false;
  const model = retry({ ...retryWithoutWaiting({ failures, waits: [] }), attempts: 2 })(
    modelAt(variant, { url }, limits),
  );
  const outcome = model
    .generate(userRequest('Hi'))
    .then(
      ({ message: { content } }) => JSON.stringify(content),
      (error: unknown) => {
        failures.push(error instanceof LlmError ? error : assert.fail(String(error)));
        return undefined;
      },
    )
    .then((text) => ({ failures, text }))
    .finally(() => (isOver = true));
  return { outcome, isOver: () => isOver };
}

/** Advances the clock until a call is over. */
async function advanceUntilOver({ isOver }: StartedCall, clock: Clock, stepMs: number): Promise<void> {
  for (let count = 0; !isOver() && count < 1000; count += 1) {
    await flushEvents();
    await clock.advance(stepMs);
  }
}

/** Sends pieces at a fixed interval until the total timeout, which must end the call. */
async function sendUntilLimit(
  variant: Variant,
  clock: Clock,
  { piece, everyMs }: { piece: string; everyMs: number },
): Promise<void> {
  const feed = controlledStream();
  await using server = await serve(variant, [feed.step, fine]);
  const call = startCall(variant, server.url);
  for (let at = 0; at + everyMs < limits.timeoutMs; at += everyMs) {
    await feed.send(piece);
    assert.equal(call.isOver(), false, `over after ${at} ms`);
    assert.equal(server.requests.length, 1, `retried after ${at} ms`);
    await clock.advance(everyMs);
  }
  await feed.send(piece);
  await advanceUntilOver(call, clock, everyMs);
  const { failures, text } = await call.outcome;
  assert.deepEqual(
    failures.map(({ code, message }) => [code, message.endsWith(' took longer than 900000 ms.')]),
    [['timeout', true]],
  );
  assert.match(text ?? '', /Fine\./);
  assert.equal(await server.requests[0]?.abandoned, true);
}

const silence = (afterPieces: number): ScriptedStep => ({ ...long, fault: { kind: 'hang', afterPieces } });

/** F34 to F36: responses that take too long. */
export const timedFaults: readonly TimedScenario[] = [
  {
    fault: 34,
    title: 'comments for 15 minutes are not idle, and end at the total timeout',
    modes: ['streamed'],
    runTimed: (variant, clock) =>
      sendUntilLimit(variant, clock, { piece: ': OPENROUTER PROCESSING\n\n', everyMs: 60_000 }),
  },
  {
    fault: 34,
    title: 'a reply after ten minutes of comments is complete',
    modes: ['streamed'],
    async runTimed(variant, clock) {
      const feed = controlledStream();
      await using server = await serve(variant, [feed.step]);
      const call = startCall(variant, server.url);
      for (let minute = 0; minute < 10; minute += 1) {
        await feed.send(': wait\n\n');
        await clock.advance(60_000);
      }
      for (const block of streamedReply(variant.protocol, 'At last.')) await feed.send(`${block}\n\n`);
      // The body stays open, but the reply is complete.
      await advanceUntilOver(call, clock, 5000);
      assert.match((await call.outcome).text ?? '', /At last\./);
    },
  },
  {
    fault: 35,
    title: 'an idle stream is a timeout and is retried, and each connection is closed',
    modes: ['streamed'],
    async runTimed(variant, clock) {
      await using server = await serve(variant, [silence(1), silence(3)]);
      const call = startCall(variant, server.url);
      await advanceUntilOver(call, clock, 10_000);
      const { failures } = await call.outcome;
      assert.deepEqual(
        failures.map(({ code, message }) => [code, message.endsWith(' was silent for 120000 ms.')]),
        [
          ['timeout', true],
          ['timeout', true],
        ],
      );
      server.assertDone();
      assert.deepEqual(await Promise.all(server.requests.map(({ abandoned }) => abandoned)), [true, true]);
    },
  },
  {
    fault: 35,
    title: 'a missing response is a timeout and is retried, and each connection is closed',
    async runTimed(variant, clock) {
      await using server = await serve(variant, [silence(0), silence(0)]);
      const call = startCall(variant, server.url);
      await advanceUntilOver(call, clock, 60_000);
      const { failures } = await call.outcome;
      assert.deepEqual(
        failures.map(({ code }) => code),
        ['timeout', 'timeout'],
      );
      server.assertDone();
      assert.deepEqual(await Promise.all(server.requests.map(({ abandoned }) => abandoned)), [true, true]);
    },
  },
  {
    fault: 36,
    title: 'single bytes are not idle, and end at the total timeout',
    runTimed: (variant, clock) => sendUntilLimit(variant, clock, { piece: ' ', everyMs: 50_000 }),
  },
];
