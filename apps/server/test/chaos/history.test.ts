import { expect, test } from 'vitest';
import { violationsOf, type ConversationHistory } from './history.ts';

function append(id: string, epoch: number, writer: string) {
  return { id, epoch, writer, at: 0 };
}

const sound: ConversationHistory = {
  id: 'c',
  acknowledged: ['m1'],
  unknown: ['m2', 'm3'],
  seen: ['a', 'b', 'c'],
  commands: [
    { step: 0, isDone: true },
    { step: 1, isDone: true },
    { step: 2, isDone: false },
    { step: 3, isDone: false },
  ],
  effects: [0, 1, 3],
  appends: [append('a', 1, 'one'), append('b', 1, 'one'), append('c', 2, 'two')],
  failures: [],
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
  [{ effects: [1, 0] }, 'the commands ran in the order 1, 0'],
  [{ effects: [0, 2, 1] }, 'the commands ran in the order 0, 2, 1'],
  [{ effects: [0] }, 'the command of step 1 has a result, and did not run'],
  [{ effects: [0, 1, 4] }, 'the command of step 4 ran without a log of it'],
  [{ commands: [...sound.commands, { step: 3, isDone: false }] }, 'the command of step 3 is in the log twice'],
  [{ appends: [...sound.appends, append('d', 2, 'one')] }, 'epoch 2 has the writers two, one'],
  [{ appends: [append('a', 2, 'two'), append('b', 1, 'one')] }, 'the events have the epochs 2, 1'],
  [{ seen: ['a', 'b', 'b', 'c'] }, 'a client received event b twice'],
  [{ seen: ['a', 'c'] }, 'a client did not receive event b'],
  [{ seen: ['b', 'a', 'c'] }, 'a client received events in another order'],
  [{ seen: ['a', 'b', 'c', 'd'] }, 'or some that are not stored'],
  [{ failures: ['StorageError'] }, 'a run failed: StorageError'],
  [{ status: 'running' }, 'it ended with the status running'],
  [{ proof: 'the seal of event 3 is wrong' }, 'the seal of event 3 is wrong'],
])('%j is one violation', ([change, sentence]) => {
  expect(violationsOf({ ...sound, ...change })).toEqual([expect.stringContaining(sentence)]);
});
