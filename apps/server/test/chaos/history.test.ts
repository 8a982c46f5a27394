import { expect, test } from 'vitest';
import { violationsOf, type ConversationHistory } from './history.ts';

const sound: ConversationHistory = {
  id: 'c',
  acknowledged: ['m1'],
  unknown: ['m2', 'm3'],
  seen: ['a', 'b', 'c'],
  effects: [0, 1, 3],
  status: 'finished',
  proof: undefined,
  log: [
    { id: 'a', text: '{"text":"m1"}' },
    { id: 'b', text: '{"text":"m2"}' },
    { id: 'c', text: '{}' },
  ],
};

test('a history without loss and repetition has no violation', () => {
  expect(violationsOf(sound)).toEqual([]);
});

test.for<[Partial<ConversationHistory>, string]>([
  [{ acknowledged: ['m1', 'm4'] }, 'the acknowledged message m4 is lost'],
  [{ log: [...sound.log, { id: 'd', text: '["m2"]' }], seen: ['a', 'b', 'c', 'd'] }, 'the message m2 is repeated'],
  [{ effects: [0, 1, 1] }, 'the command of step 1 ran twice'],
  [{ effects: [0, 2, 1] }, 'the commands ran in the order 0, 2, 1'],
  [{ seen: ['a', 'b', 'b', 'c'] }, 'a client received event b twice'],
  [{ seen: ['a', 'c'] }, 'a client did not receive event b'],
  [{ seen: ['b', 'a', 'c'] }, 'a client received events in another order'],
  [{ seen: ['a', 'b', 'c', 'd'] }, 'or some that are not stored'],
  [{ status: 'running' }, 'it ended with the status running'],
  [{ proof: 'the seal of event 3 is wrong' }, 'the seal of event 3 is wrong'],
])('%j is one violation', ([change, sentence]) => {
  expect(violationsOf({ ...sound, ...change })).toEqual([expect.stringContaining(sentence)]);
});
