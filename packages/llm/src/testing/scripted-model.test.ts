import { textOf } from '@varve/events';
import { expect, test } from 'vitest';
import { asking } from './model-check.ts';
import { scriptedModel } from './scripted-model.ts';
import type { ScriptedStep } from './scripted-step.ts';

test('a step may answer what it is asked', async () => {
  const model = scriptedModel([({ messages }) => ({ text: `You said ${textOf(messages[0]?.content ?? [])}.` })]);
  const { message } = await model.generate(asking('hi'));
  expect(textOf(message.content)).toBe('You said hi.');
});

test('a request beyond the script is a mismatch, then and at the end', async () => {
  const model = scriptedModel([]);
  await expect(model.generate(asking('Hi'))).rejects.toMatchObject({ code: 'script-mismatch' });
  expect(() => model.assertDone()).toThrow('Request 1 was not expected: the script has 0 steps.');
});

test('a step that was never asked for is a mismatch at the end', async () => {
  const model = scriptedModel([{ text: 'One.' }, { text: 'Two.' }]);
  await model.generate(asking('Hi'));
  expect(() => model.assertDone()).toThrow('Step 2 of the script was never asked for.');
});

test('a step that expects another request is a mismatch', async () => {
  const model = scriptedModel([
    { text: 'One.', expect: 'tests' },
    { text: 'Two.', expect: /^Run/ },
  ]);
  await expect(model.generate(asking('Hi'))).rejects.toThrow('Step 1 expects tests, but was asked "Hi".');
  await expect(model.generate(asking('Run it'))).resolves.toMatchObject({ finish: 'stop' });
});

function disappointed(): never {
  throw new Error('no result of grep');
}

test('a step that throws is a mismatch that names what it threw', async () => {
  const model = scriptedModel([disappointed]);
  await expect(model.generate(asking('Hi'))).rejects.toThrow('Step 1 threw: no result of grep');
  expect(() => model.assertDone()).toThrow('Step 1 threw');
});

test('ids that are made up are the same in every run and differ within a conversation', async () => {
  const steps = [{ calls: [{ name: 'think', arguments: {} }] }, { text: 'Done.' }];
  const run = async (): Promise<readonly string[]> => {
    const model = scriptedModel(steps);
    const first = await model.generate(asking('Hi'));
    const second = await model.generate(asking('Hi', { messages: [...asking('Hi').messages, first.message] }));
    return [first.id, first.message.tool_calls?.[0]?.id ?? '', second.id];
  };
  const ids = await run();
  expect(await run()).toEqual(ids);
  expect(new Set(ids).size).toBe(3);
});

function* forever(): Generator<ScriptedStep> {
  for (;;) yield { text: 'Again.' };
}

test('a script may be without end', async () => {
  const model = scriptedModel(forever());
  for (let count = 0; count < 100; count += 1) await model.generate(asking('Hi'));
  expect(model.requests).toHaveLength(100);
});

test('a raw answer needs a server', async () => {
  const model = scriptedModel([{ fault: { kind: 'answer', body: '' } }]);
  await expect(model.generate(asking('Hi'))).rejects.toThrow('Only a scripted server can send a raw answer.');
});
