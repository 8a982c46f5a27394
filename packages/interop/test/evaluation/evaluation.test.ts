import { eventFactory } from '@varve/events/testing';
import { expect, test } from 'vitest';
import { activeBranch, formats, type ForeignLog } from '../../src/index.ts';
import { evaluationFormat, writeEvaluation } from '../../src/evaluation/evaluation-format.ts';
import { finishedInstances, readEvaluation } from '../../src/evaluation/read-evaluation.ts';
import { countedIds, filesOf, v0Fixture } from '../fixture.ts';

const factory = eventFactory();
const output = {
  instance_id: 'django__django-1',
  test_result: { git_patch: 'diff' },
  instruction: 'Fix it.',
  metadata: { agent_class: 'CodeActAgent', llm_config: { model: 'm' }, max_iterations: 100, details: null },
  history: v0Fixture('legacy'),
  metrics: { accumulated_cost: 0.5, condenser: [] },
  error: null,
  instance: { repo: 'django/django' },
};
const [first, second] = [factory.user('Hi'), factory.agent('Hello')];
const v1 = { ...output, instance_id: 'v1', history: [first, second] };
const pairs = { ...output, instance_id: 'pairs', history: [[output.history[1], output.history[2]]] };
const text = [output, v1, pairs].map((line) => `${JSON.stringify(line)}\n`).join('');

async function written({ id = '', entries }: ForeignLog): Promise<unknown> {
  const { events } = await activeBranch(entries);
  return JSON.parse(writeEvaluation({ id, events }).files[0]?.text ?? '');
}

test('each line is a log of its own, and is written as it was read', async () => {
  const { logs, problems } = readEvaluation(text, { newId: countedIds() });
  expect([problems, logs.map(({ id }) => id)]).toEqual([[], ['django__django-1', 'v1', 'pairs']]);
  const lines = await Promise.all(logs.map(written));
  expect(lines).toEqual(
    [output, v1, { ...pairs, history: pairs.history.flat() }].map(
      (line) => JSON.parse(JSON.stringify(line)) as unknown,
    ),
  );
});

test('a broken line is reported, and the others are read', async () => {
  const { logs, problems } = readEvaluation(`{\n\n${text}{"instance_id":7}\n`, { newId: countedIds() });
  expect(logs).toHaveLength(3);
  expect(problems.map(({ place }) => place)).toEqual(['line 1', 'line 6']);
  await expect(evaluationFormat.read?.(filesOf('a', { 'a.jsonl': '{' }), { newId: countedIds() })).rejects.toThrow(
    'no output',
  );
});

test('of a list that is cut off, the whole items are read', () => {
  const lines = [output, v1, pairs].map((line) => JSON.stringify(line));
  const whole = `[\n${lines.join(',\n')}\n]\n`;
  expect(readEvaluation(whole, { newId: countedIds() })).toMatchObject({ logs: { length: 3 }, problems: [] });
  for (const cut of [whole.slice(0, -100), whole.replace('[\n', '[').slice(0, -100), whole.slice(0, -3)]) {
    const { logs, problems } = readEvaluation(cut, { newId: countedIds() });
    const isWhole = cut.trimEnd().endsWith('}');
    expect([logs.length, problems.map(({ place }) => place)]).toEqual(
      isWhole ? [3, []] : [2, [cut.startsWith('[\n') ? 'line 4' : 'line 3']],
    );
  }
});

test('a conversation of varve is written with its instruction', () => {
  const { files } = writeEvaluation({ id: 'mine', events: [first, second] });
  expect(JSON.parse(files[0]?.text ?? '')).toMatchObject({
    instance_id: 'mine',
    instruction: 'Hi',
    history: [{ action: 'message' }, { action: 'message' }],
  });
});

test('an evaluation that is resumed skips the instances that are in the file', () => {
  expect([...finishedInstances(`${text}{broken`)]).toEqual(['django__django-1', 'v1', 'pairs']);
});

test('the format is recognised by its first line', async () => {
  const files = filesOf('output.jsonl', { 'output.jsonl': text });
  const matching = await Promise.all(formats.map(async (format) => (await format.matches?.(files)) ?? false));
  expect(formats.filter((_, index) => matching[index]).map(({ name }) => name)).toEqual(['evaluation']);
  expect(await evaluationFormat.read?.(files, { newId: countedIds() })).toHaveLength(3);
});
