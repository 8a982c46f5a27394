import { expect, test } from 'vitest';
import type { Statement } from '../contract/statement.ts';
import { digestOf } from './hash-chain.ts';
import { Verification } from './verification.ts';

// More than the arguments that a call of a function can have.
const count = 200_000;

function hash(number: number): string {
  return number.toString(16).padStart(64, '0');
}

test('any number of tombstones of one event is recorded', () => {
  const event = { seq: 0, id: 'a', kind: 'MessageEvent', parentId: undefined, text: '{}' };
  const common = { conversation: 'c', seq: 0, reason: 'secret', signer: 'did:key:x', signature: '', at: 0 };
  const statements = Array.from({ length: count }, (_, number): Statement => {
    return { kind: 'tombstone', ...common, was: hash(number + 1), is: number === 0 ? digestOf(event) : hash(number) };
  });
  const verification = new Verification('c', {}, []);
  verification.add(event, { seq: 0, seal: undefined, statements });
  expect(verification.verdict().tombstones).toHaveLength(count);
});
