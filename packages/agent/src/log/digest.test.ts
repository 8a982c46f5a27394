import { createHash } from 'node:crypto';
import fc from 'fast-check';
import { expect, test } from 'vitest';
import { text, type Message } from '@varve/events';
import { digestOf, messageDigester } from './digest.ts';

const messageOf = (words: string): Message => ({ role: 'user', content: [text(words)], thinking_blocks: [] });

test('the digest of messages is the SHA-256 over the digests of their JSON', () => {
  const messages = [messageOf('a'), messageOf('b')];
  const all = createHash('sha256');
  for (const message of messages) all.update(createHash('sha256').update(JSON.stringify(message)).digest());
  expect(messageDigester()(messages)).toBe(all.digest('hex'));
});

test('the digest depends on order, content and number of messages, not on their identity', () => {
  const digest = messageDigester();
  const [a, b] = [messageOf('a'), messageOf('b')];
  expect(digest([a, b])).toBe(digest([messageOf('a'), messageOf('b')]));
  expect(new Set([digest([a, b]), digest([b, a]), digest([a]), digest([])]).size).toBe(4);
});

test('the digest of a list does not depend on earlier digests', () => {
  const pool = Array.from({ length: 4 }, (_, index) => messageOf(`${index}`));
  const lists = fc.array(fc.array(fc.constantFrom(...pool), { maxLength: 5 }), { maxLength: 8 });
  fc.assert(
    fc.property(lists, (many) => {
      const digest = messageDigester();
      for (const messages of many) expect(digest(messages)).toBe(messageDigester()(messages));
    }),
    { numRuns: 200 },
  );
});

test('a text has the digest other programs compute', () => {
  expect(digestOf('abc')).toBe('ba7816bf8f01cfea414140de5dae2223b00361a396177a9cb410ff61f20015ad');
});
