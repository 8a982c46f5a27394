import { expect, test } from 'vitest';
import { newEvent } from '../../storage/src/testing/events.ts';
import { appendStatement } from '../src/append.ts';

const seal = '0'.repeat(64);

function statementOf(appends: number, eventsOfEach: number) {
  const events = Array.from({ length: eventsOfEach }, (_, seq) => ({ ...newEvent(`e${seq}`), seq, seal }));
  const append = { epoch: 1, head: 0, events, statements: [], last: seal, metaText: undefined };
  const all = Array.from({ length: appends }, (_, key) => ({ ...append, key }));
  return appendStatement('s', all);
}

test('the number of different statements is limited', () => {
  const single = Array.from({ length: 500 }, (_, n) => statementOf(1, n + 1));
  const shared = Array.from({ length: 63 }, (_, n) => statementOf(n + 2, 1));
  expect(new Set(single.map(({ sql }) => sql)).size).toBe(8);
  expect(new Set(shared.map(({ sql }) => sql)).size).toBe(6);
});

test('a statement has as many parameters as values', () => {
  for (const [appends, events] of [
    [1, 1],
    [3, 1],
    [1, 65],
    [40, 2],
  ] as const) {
    const { sql, values } = statementOf(appends, events);
    expect(new Set(sql.match(/\$\d+/g)).size).toBe(values.length);
  }
});
