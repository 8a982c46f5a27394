import assert from 'node:assert/strict';
import { getEventListeners } from 'node:events';
import { setImmediate as turn } from 'node:timers/promises';
import { textOf } from '@varve/events';
import { LlmError, type LlmErrorCode } from '../../error.ts';
import { userRequest, type ModelCheck } from './model-check.ts';
import type { ScriptedError, ScriptedStep } from '../script/scripted-step.ts';

const codes: readonly ScriptedError['code'][] = [
  'rate-limited',
  'unavailable',
  'timeout',
  'malformed-reply',
  'empty',
  'truncated',
  'context-overflow',
  'malformed-history',
  'unauthenticated',
  'quota',
  'refused',
  'unknown-model',
  'unsupported',
  'bad-request',
];

/** More than any model sends one request again. */
const maxRetries = 20;

/** Longer than any model waits by itself. */
const longWaitMs = 86_400_000;

/** Longest wait for the end of an aborted call: only a model that never ends takes it. */
const patienceMs = 10_000;

/** How a model behaves towards its caller. */
export const conductChecks: readonly ModelCheck[] = [
  {
    title: 'an aborted signal rejects with aborted, whose cause is the reason that its caller gave',
    async run(open) {
      await using opened = await open([{ text: 'Too late.' }]);
      const reason = new Error('The caller left.');
      const asked = opened.model.generate(userRequest('Hi'), { signal: AbortSignal.abort(reason) });
      await rejects(asked, 'aborted', reason);
    },
  },
  {
    title: 'aborting while nothing comes rejects with aborted, whose cause is the reason that its caller gave',
    async run(open) {
      const reason = new Error('The caller left.');
      const caller = new AbortController();
      const step: ScriptedStep = () => {
        setImmediate(() => caller.abort(reason));
        return { text: 'Never said.', fault: { kind: 'hang', afterPieces: 0 } };
      };
      await using opened = await open([step]);
      await rejects(
        withTimeout(opened.model.generate(userRequest('Hi'), { signal: caller.signal })),
        'aborted',
        reason,
      );
    },
  },
  {
    title: 'aborting in the middle of a stream rejects with aborted, and no piece comes after that',
    needs: 'live',
    async run(open) {
      const caller = new AbortController();
      let pieces = 0;
      const fault = { kind: 'hang', afterPieces: 3 } as const;
      await using opened = await open([{ text: 'A reply that is long enough for several pieces.', fault }]);
      const asked = opened.model.generate(userRequest('Hi'), {
        signal: caller.signal,
        onDelta() {
          pieces += 1;
          caller.abort();
        },
      });
      await rejects(withTimeout(asked), 'aborted');
      assert.equal(pieces, 1);
    },
  },
  {
    title: 'a call that has ended hands out no piece and listens to no signal',
    async run(open) {
      const { signal } = new AbortController();
      await using opened = await open([{ text: 'A reply of several pieces.' }, { error: { code: 'bad-request' } }]);
      let pieces = 0;
      const onDelta = (): void => void (pieces += 1);
      await opened.model.generate(userRequest('Hi'), { signal, onDelta });
      const before = pieces;
      await rejects(opened.model.generate(userRequest('Hi'), { signal, onDelta }), 'bad-request');
      await turn();
      assert.equal(pieces, before);
      assert.equal(getEventListeners(signal, 'abort').length, 0);
    },
  },
  {
    title: 'concurrent requests get their own replies',
    async run(open) {
      const questions = Array.from({ length: 12 }, (_, index) => `number ${index}`);
      await using opened = await open(questions.map(() => echo));
      const replies = await Promise.all(
        questions.map((question) => opened.model.generate(userRequest(question), { onDelta: () => undefined })),
      );
      const said = replies.map(({ message }) => textOf(message.content));
      assert.deepEqual(
        said,
        questions.map((question) => `You said ${question}`),
      );
    },
  },
  {
    title: 'a stream that breaks off is unavailable, however it breaks',
    async run(open) {
      for (const kind of ['reset', 'cut'] as const) {
        const broken = { text: 'A reply that never ends well.', fault: { kind, afterPieces: 2 } } as const;
        await using opened = await open(Array.from({ length: maxRetries }, () => broken));
        await rejects(opened.model.generate(userRequest('Hi'), { onDelta: () => undefined }), 'unavailable');
      }
    },
  },
  {
    title: 'a failure keeps the wait that the provider asks for',
    async run(open) {
      const error = { code: 'rate-limited', retryAfterMs: longWaitMs } as const;
      await using opened = await open([{ error }]);
      await assert.rejects(opened.model.generate(userRequest('Hi')), {
        code: 'rate-limited',
        retryAfterMs: longWaitMs,
      });
    },
  },
  ...codes.map((code) => ({
    title: `a failure keeps its code: ${code}`,
    async run(open: Parameters<ModelCheck['run']>[0]) {
      await using opened = await open(Array.from({ length: maxRetries }, () => ({ error: { code } })));
      await rejects(opened.model.generate(userRequest('Hi')), code);
      await rejects(opened.model.generate(userRequest('Hi'), { onDelta: () => undefined }), code);
    },
  })),
];

const echo: ScriptedStep = ({ messages }) => ({ text: `You said ${textOf(messages.at(-1)?.content ?? [])}` });

/** Fails a check instead of leaving it waiting for ever. */
async function withTimeout<T>(work: Promise<T>): Promise<T> {
  const { promise, reject } = Promise.withResolvers<never>();
  const timer = setTimeout(
    () => reject(new assert.AssertionError({ message: `Nothing ended within ${patienceMs} ms.` })),
    patienceMs,
  );
  return Promise.race([work, promise]).finally(() => clearTimeout(timer));
}

async function rejects(asked: Promise<unknown>, code: LlmErrorCode, cause?: Error): Promise<void> {
  await assert.rejects(asked, (error: unknown) => {
    assert.ok(error instanceof LlmError, String(error));
    assert.equal(error.code, code, error.message);
    if (cause) assert.equal(error.cause, cause, 'the reason of the abort is lost');
    return true;
  });
}
