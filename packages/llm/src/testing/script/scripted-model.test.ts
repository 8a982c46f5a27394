import { textOf } from '@varve/events';
import { expect, test } from 'vitest';
import { LlmError } from '../../error.ts';
import { userRequest } from '../contract/model-check.ts';
import { scriptedModel } from './scripted-model.ts';
import type { ScriptedStep } from './scripted-step.ts';

test('a step may be a function of the request', async () => {
  const model = scriptedModel([({ messages }) => ({ text: `Echo of ${textOf(messages[0]?.content ?? [])}.` })]);
  const { message } = await model.generate(userRequest('hi'));
  expect(textOf(message.content)).toBe('Echo of hi.');
});

test('a request without a step is a mismatch, immediately and at the end', async () => {
  const model = scriptedModel([]);
  await expect(model.generate(userRequest('Hi'))).rejects.toMatchObject({ code: 'script-mismatch' });
  expect(() => model.assertDone()).toThrow('Request 1 was not expected: the script has 0 steps.');
});

test('a step without a request is a mismatch at the end', async () => {
  const model = scriptedModel([{ text: 'One.' }, { text: 'Two.' }]);
  await model.generate(userRequest('Hi'));
  expect(() => model.assertDone()).toThrow('Step 2 of the script was not requested.');
});

test('a step that expects another request is a mismatch', async () => {
  const model = scriptedModel([
    { text: 'One.', expect: 'tests' },
    { text: 'Two.', expect: /^Run/ },
  ]);
  await expect(model.generate(userRequest('Hi'))).rejects.toThrow('Step 1 expects tests, but the request is "Hi".');
  await expect(model.generate(userRequest('Run it'))).resolves.toMatchObject({ finish: 'stop' });
});

test('the message of a mismatch compares steps and requests, one line each', async () => {
  const model = scriptedModel([
    { text: 'Looking.', calls: [{ name: 'grep', arguments: {} }] },
    { text: 'Fixed.', expect: /^2 tests/ },
    () => ({ text: 'Whatever.' }),
    { error: { code: 'quota' } },
    { text: 'All is done, and this is a longer sentence than anyone would read to its end.' },
  ]);
  await model.generate(userRequest('Fix the test.'));
  await expect(model.generate(userRequest('no tests\nfound'))).rejects.toThrow('Step 2 expects /^2 tests/');
  await model.generate(userRequest('Continue.'));
  expect(() => model.assertDone()).toThrow(
    new LlmError(
      'script-mismatch',
      [
        'Step 2 expects /^2 tests/, but the request is "no tests\nfound".',
        '  1 request "Fix the test.", replies "Looking." and calls grep',
        '! 2 request "no tests found", expected /^2 tests/',
        '  3 request "Continue.", a function',
        '- 4 not requested, fails with quota',
        '- 5 not requested, replies "All is done, and this is a longer sentence than anyone woul…"',
      ].join('\n'),
    ),
  );
});

test('requests without a step are listed after those with one', async () => {
  const model = scriptedModel([{ text: 'One.' }]);
  for (const question of ['a', 'b', 'c']) await model.generate(userRequest(question)).catch(() => undefined);
  expect(() => model.assertDone()).toThrow(
    'Request 2 was not expected: the script has 1 steps.\n' +
      '  1 request "a", replies "One."\n+ 2 request "b", no step left\n+ 3 request "c", no step left',
  );
});

test('a second call of assertDone throws the same error', async () => {
  const model = scriptedModel([{ text: 'One.' }, { text: 'Two.' }]);
  const errors = [1, 2].map(() => {
    try {
      return model.assertDone();
    } catch (error) {
      return String(error);
    }
  });
  expect(errors[0]).toBe(errors[1]);
  expect(errors[0]).toContain('Step 1 of the script was not requested.\n- 1 not requested, replies "One."\n- 2');
});

test('five steps of an endless script are listed', () => {
  const model = scriptedModel(forever());
  expect(() => model.assertDone()).toThrow(/not requested\.(?:\n- \d not requested, replies "Again\."){5}$/);
});

function disappointed(): never {
  throw new Error('no result of grep');
}

test('a step that throws is a mismatch that names the error', async () => {
  const model = scriptedModel([disappointed]);
  await expect(model.generate(userRequest('Hi'))).rejects.toThrow('Step 1 threw: no result of grep');
  expect(() => model.assertDone()).toThrow('Step 1 threw');
});

test('generated ids are the same in every run and differ within a conversation', async () => {
  const steps = [{ calls: [{ name: 'think', arguments: {} }] }, { text: 'Done.' }];
  const run = async (): Promise<readonly string[]> => {
    const model = scriptedModel(steps);
    const first = await model.generate(userRequest('Hi'));
    const second = await model.generate(
      userRequest('Hi', { messages: [...userRequest('Hi').messages, first.message] }),
    );
    return [first.id, first.message.tool_calls?.[0]?.id ?? '', second.id];
  };
  const ids = await run();
  expect(await run()).toEqual(ids);
  expect(new Set(ids).size).toBe(3);
});

function* forever(): Generator<ScriptedStep> {
  for (;;) yield { text: 'Again.' };
}

test('a script may be endless', async () => {
  const model = scriptedModel(forever());
  for (let count = 0; count < 100; count += 1) await model.generate(userRequest('Hi'));
  expect(model.requests).toHaveLength(100);
});

test('a raw response needs a server', async () => {
  const model = scriptedModel([{ fault: { kind: 'answer', body: '' } }]);
  await expect(model.generate(userRequest('Hi'))).rejects.toThrow('Only a scripted server can send a raw answer.');
});
