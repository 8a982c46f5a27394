import assert from 'node:assert/strict';
import { getEventListeners } from 'node:events';
import { setImmediate as turn, setTimeout as sleep } from 'node:timers/promises';
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

/** More attempts than any model makes for one request. */
const maxRetries = 20;

/** Longer than any model waits between attempts. */
const longWaitMs = 86_400_000;

/** Timeout of an aborted call, reached only by a model that never settles. */
const timeoutMs = 10_000;

/** Checks of aborts, concurrency and failures. */
export const conductChecks: readonly ModelCheck[] = [
  {
    title: 'an aborted signal rejects with aborted, whose cause is the reason of the signal',
    async run(open) {
      await using opened = await open([{ text: 'Too late.' }]);
      const reason = new Error('The caller left.');
      const call = opened.model.generate(userRequest('Hi'), { signal: AbortSignal.abort(reason) });
      await rejects(call, 'aborted', reason);
    },
  },
  {
    title: 'aborting before the first piece rejects with aborted, whose cause is the reason of the signal',
    async run(open) {
      const reason = new Error('The caller left.');
      const caller = new AbortController();
      const step: ScriptedStep = () => {
        setImmediate(() => caller.abort(reason));
        return { text: 'Never sent.', fault: { kind: 'hang', afterPieces: 0 } };
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
    title: 'aborting in the middle of a stream rejects with aborted, and no delta follows',
    needs: 'live',
    async run(open) {
      const caller = new AbortController();
      let pieces = 0;
      const fault = { kind: 'hang', afterPieces: 3 } as const;
      await using opened = await open([{ text: 'A reply that is long enough for several pieces.', fault }]);
      const call = opened.model.generate(userRequest('Hi'), {
        signal: caller.signal,
        onDelta() {
          pieces += 1;
          caller.abort();
        },
      });
      await rejects(withTimeout(call), 'aborted');
      assert.equal(pieces, 1);
    },
  },
  {
    title: 'a settled call emits no delta and has removed its abort listeners',
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
    title: 'concurrent requests receive their own replies',
    async run(open) {
      const questions = Array.from({ length: 12 }, (_, index) => `number ${index}`);
      await using opened = await open(questions.map(() => echo));
      const replies = await Promise.all(
        questions.map((question) => opened.model.generate(userRequest(question), { onDelta: () => undefined })),
      );
      const texts = replies.map(({ message }) => textOf(message.content));
      assert.deepEqual(
        texts,
        questions.map((question) => `Echo of ${question}`),
      );
    },
  },
  {
    title: 'an incomplete stream is unavailable, after a reset and after an early end',
    async run(open) {
      for (const kind of ['reset', 'cut'] as const) {
        const broken = { text: 'A reply that never ends well.', fault: { kind, afterPieces: 2 } } as const;
        await using opened = await open(Array.from({ length: maxRetries }, () => broken));
        await rejects(opened.model.generate(userRequest('Hi'), { onDelta: () => undefined }), 'unavailable');
      }
    },
  },
  {
    title: 'a failure keeps the wait requested by the provider',
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

const echo: ScriptedStep = ({ messages }) => ({ text: `Echo of ${textOf(messages.at(-1)?.content ?? [])}` });

/** Fails a check whose call does not settle. */
async function withTimeout<T>(work: Promise<T>): Promise<T> {
  const late = sleep(timeoutMs, undefined, { ref: false }).then(() =>
    assert.fail(`The call did not settle within ${timeoutMs} ms.`),
  );
  return Promise.race([work, late]);
}

async function rejects(call: Promise<unknown>, code: LlmErrorCode, cause?: Error): Promise<void> {
  await assert.rejects(call, (error: unknown) => {
    assert.ok(error instanceof LlmError, String(error));
    assert.equal(error.code, code, error.message);
    if (cause) assert.equal(error.cause, cause, 'the reason of the abort is lost');
    return true;
  });
}
