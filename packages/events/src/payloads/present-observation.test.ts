import { expect, test } from 'vitest';
import { text, textOf } from '../content.ts';
import { ConsultTomObservation, SleeptimeComputeObservation } from './tom.ts';
import { BrowserObservation, TaskObservation, presentObservation, TerminalObservation } from './index.ts';
import { observationKinds } from '../../test/observation-kinds.ts';

const content = [text('Done.')];

test('the model reads the id of a task, to resume it', () => {
  const observation = TaskObservation.create({ content, task_id: 'task_1', subagent: 'explore', status: 'completed' });
  expect(textOf(presentObservation(observation))).toBe('[task: task_1, sub-agent: explore, status: completed]\nDone.');
});

test.for([
  ['iVBORw0KGgo=', 'image/png'],
  ['/9j/4AAQ', 'image/jpeg'],
  ['UklGRh4A', 'image/webp'],
  ['R0lGODlh', 'image/gif'],
] as const)('the model sees the screenshot %s as %s', ([data, type]) => {
  expect(presentObservation(BrowserObservation.create({ content, screenshot_data: data }))).toEqual([
    ...content,
    { cache_prompt: false, type: 'image', image_urls: [`data:${type};base64,${data}`] },
  ]);
});

test('a browser result without a screenshot is its text', () => {
  expect(presentObservation(BrowserObservation.create({ content }))).toEqual(content);
});

test('advice of the user model includes its confidence', () => {
  const observation = ConsultTomObservation.create({
    suggestions: 'Be brief.',
    confidence: 0.756,
    reasoning: 'It was requested.',
  });
  expect(textOf(presentObservation(observation))).toBe('Be brief.\nWhy: It was requested.\nConfidence: 76 %');
  expect(presentObservation(ConsultTomObservation.create({}))).toEqual([]);
});

test('the result of the user model includes the number of conversations', () => {
  const observation = SleeptimeComputeObservation.create({ message: 'Learned.', sessions_processed: 2 });
  expect(textOf(presentObservation(observation))).toBe('Conversations taken in: 2.\nLearned.');
});

test('a failed observation of any kind starts with a notice', () => {
  const failed = TerminalObservation.create({ content, is_error: true });
  expect(textOf(presentObservation(failed))).toBe('[The tool reported an error.]\nDone.');
});

test('the model reads the content that each kind defines', () => {
  const texts = observationKinds.map((definition) => {
    const fields = Object.fromEntries(Object.keys(definition.fields.shape).map((field) => [field, 'x']));
    const observation = { ...fields, metadata: { suffix: 'x' }, content, is_error: false, kind: definition.kind };
    expect(presentObservation(observation)).toEqual(definition.present(observation));
    return definition.present(observation);
  });
  expect(texts.filter((presented) => presented !== content)).toHaveLength(5);
});

test('fields of the wrong type are ignored', () => {
  const invalid = {
    content,
    is_error: false,
    suggestions: { a: 1 },
    confidence: 'high',
    kind: 'ConsultTomObservation',
  };
  expect(presentObservation(invalid)).toEqual(content);
});
