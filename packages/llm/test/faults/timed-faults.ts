import assert from 'node:assert/strict';
import { setImmediate as turn } from 'node:timers/promises';
import { LlmError } from '../../src/error.ts';
import { retry } from '../../src/retry.ts';
import { userRequest, type ScriptedStep } from '../../src/testing/index.ts';
import { answered, eventStream, fine, long, spoken } from './answers.ts';
import type { Clock, Stage, TimedFault } from './fault-row.ts';
import { modelAt, patience, serve } from './run-fault.ts';

/** A stream whose pieces are sent one by one. */
function fed() {
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
    step: answered({ headers: eventStream, body: pieces() }),
    /** Sends a piece and lets it arrive. */
    async send(piece: string): Promise<void> {
      sent = Promise.withResolvers();
      next.resolve(piece);
      await sent.promise;
      await turns();
    },
  };
}

/** Lets what is under way within this machine arrive. */
async function turns(): Promise<void> {
  for (let count = 0; count < 20; count += 1) await turn();
}

/** Limits of the lengths that people use. */
const limits = { idleTimeoutMs: 120_000, timeoutMs: 900_000 };

interface Outcome {
  readonly failures: readonly LlmError[];
  readonly text: string | undefined;
}

/** A call under way. */
interface Asked {
  readonly outcome: Promise<Outcome>;
  readonly isOver: () => boolean;
}

/** Asks in the background. */
function asked(stage: Stage, url: string): Asked {
  const failures: LlmError[] = [];
  let isOver = false;
  const model = retry({ ...patience({ failures, waits: [] }), attempts: 2 })(modelAt(stage, { url }, limits));
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

/** Lets time pass until a call is over. */
async function untilOver({ isOver }: Asked, clock: Clock, stepMs: number): Promise<void> {
  for (let count = 0; !isOver() && count < 1000; count += 1) {
    await turns();
    await clock.advance(stepMs);
  }
}

/** Sends a piece at each beat until the total limit, which must be what ends the call. */
async function beats(
  stage: Stage,
  clock: Clock,
  { piece, everyMs }: { piece: string; everyMs: number },
): Promise<void> {
  const feed = fed();
  await using server = await serve(stage, [feed.step, fine]);
  const call = asked(stage, server.url);
  for (let at = 0; at + everyMs < limits.timeoutMs; at += everyMs) {
    await feed.send(piece);
    assert.equal(call.isOver(), false, `over after ${at} ms`);
    assert.equal(server.requests.length, 1, `asked again after ${at} ms`);
    await clock.advance(everyMs);
  }
  await feed.send(piece);
  await untilOver(call, clock, everyMs);
  const { failures, text } = await call.outcome;
  assert.deepEqual(
    failures.map(({ code, message }) => [code, message.endsWith(' took longer than 900000 ms.')]),
    [['timeout', true]],
  );
  assert.match(text ?? '', /Fine\./);
  assert.equal(await server.requests[0]?.abandoned, true);
}

const silence = (afterPieces: number): ScriptedStep => ({ ...long, fault: { kind: 'hang', afterPieces } });

/** F34 to F36: answers that take too long. */
export const timedFaults: readonly TimedFault[] = [
  {
    fault: 34,
    title: 'comments alone for a quarter of an hour are no silence, and end at the total limit',
    ways: ['streamed'],
    playTimed: (stage, clock) => beats(stage, clock, { piece: ': OPENROUTER PROCESSING\n\n', everyMs: 60_000 }),
  },
  {
    fault: 34,
    title: 'a reply that follows ten minutes of comments is whole',
    ways: ['streamed'],
    async playTimed(stage, clock) {
      const feed = fed();
      await using server = await serve(stage, [feed.step]);
      const call = asked(stage, server.url);
      for (let minute = 0; minute < 10; minute += 1) {
        await feed.send(': wait\n\n');
        await clock.advance(60_000);
      }
      for (const block of spoken(stage.protocol, 'At last.')) await feed.send(`${block}\n\n`);
      // The body stays open; the reply is whole all the same.
      await untilOver(call, clock, 5000);
      assert.match((await call.outcome).text ?? '', /At last\./);
    },
  },
  {
    fault: 35,
    title: 'silence in a stream is a timeout, tried again, and each connection is left',
    ways: ['streamed'],
    async playTimed(stage, clock) {
      await using server = await serve(stage, [silence(1), silence(3)]);
      const call = asked(stage, server.url);
      await untilOver(call, clock, 10_000);
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
    title: 'silence before the answer is a timeout, tried again, and each connection is left',
    async playTimed(stage, clock) {
      await using server = await serve(stage, [silence(0), silence(0)]);
      const call = asked(stage, server.url);
      await untilOver(call, clock, 60_000);
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
    title: 'a byte at a time is no silence, and ends at the total limit',
    playTimed: (stage, clock) => beats(stage, clock, { piece: ' ', everyMs: 50_000 }),
  },
];
