import { expect, onTestFinished, test, vi } from 'vitest';
import { Operations } from './operations.ts';

const params = { message: 'Sure?', requestedSchema: { type: 'object', properties: {} } } as const;
const { signal } = new AbortController();

test('the time limit of an operation does not pass while a question is open, and starts again with the answer', async () => {
  vi.useFakeTimers();
  onTestFinished(() => void vi.useRealTimers());
  const answered = Promise.withResolvers<'decline'>();
  const operations = new Operations('docs', 1000, async () => answered.promise);
  let isOver = false;
  const running = operations.run(signal, async (aborts) => {
    aborts.addEventListener('abort', () => (isOver = true));
    vi.advanceTimersByTime(900);
    const answering = operations.answer(params, signal);
    vi.advanceTimersByTime(5000);
    expect(isOver).toBe(false);
    answered.resolve('decline');
    expect(await answering).toEqual({ action: 'decline' });
    vi.advanceTimersByTime(900);
    expect(isOver).toBe(false);
    vi.advanceTimersByTime(200);
  });
  await running;
  expect(isOver).toBe(true);
});

test('a question without an operation is cancelled, and so is the eleventh of one', async () => {
  let asked = 0;
  const operations = new Operations('docs', 60_000, async () => {
    asked += 1;
    return {};
  });
  expect(await operations.answer(params, signal)).toEqual({ action: 'cancel' });
  await operations.run(signal, async () => {
    for (let round = 0; round < 10; round++) {
      expect(await operations.answer(params, signal)).toEqual({ action: 'accept', content: {} });
    }
    expect(await operations.answer(params, signal)).toEqual({ action: 'cancel' });
  });
  expect(asked).toBe(10);
});
