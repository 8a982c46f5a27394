import { expect, test } from 'vitest';
import { Verification } from '../proof/verification.ts';
import { addToLog, loadedLog } from './loaded-log.ts';

// More than the arguments that a call of a function can have.
const count = 200_000;
const seqs = Array.from({ length: count }, (_, seq) => seq);

test('any number of statements is added to a log', () => {
  const log = loadedLog('c');
  const statements = seqs.map((seq) => ({ kind: 'cut', seq, end: seq + 1, cause: 'found', at: 0 }) as const);
  addToLog(log, { statements });
  expect(log.statements).toHaveLength(count);
});

test('any number of lost events is counted', () => {
  const verification = new Verification('c', {}, []);
  verification.end(seqs.map((seq) => ({ seq, seal: 'a'.repeat(64), statements: [] })));
  expect(verification.verdict()).toMatchObject({
    broken: { message: '200000 of 200000 sealed events are missing.' },
  });
});
