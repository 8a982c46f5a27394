import { expect, test } from 'vitest';
import { createFeed, type FeedMessage } from './feed.ts';

const delta = (content: string): FeedMessage => ({ kind: 'delta', content });

test('subscribers of a conversation receive its messages in order until they unsubscribe', () => {
  const feed = createFeed();
  const seen: string[] = [];
  const disposable = feed.subscribe('a', (message) => seen.push(`one ${JSON.stringify(message)}`));
  using other = feed.subscribe('a', (message) => seen.push(`other ${message.kind}`));
  feed.publish('a', delta('x'));
  feed.publish('b', delta('y'));
  disposable[Symbol.dispose]();
  disposable[Symbol.dispose]();
  feed.publish('a', { kind: 'full_state' });
  expect(seen).toEqual(['one {"kind":"delta","content":"x"}', 'other delta', 'other full_state']);
  other[Symbol.dispose]();
  feed.publish('a', delta('z'));
  expect(seen).toHaveLength(3);
});

test('a listener may unsubscribe others and subscribe while a message is published', () => {
  const feed = createFeed();
  const seen: string[] = [];
  const opened: Disposable[] = [];
  feed.subscribe('a', () => {
    seen.push('first');
    second[Symbol.dispose]();
    opened.push(feed.subscribe('a', () => seen.push('added')));
  });
  const second = feed.subscribe('a', () => seen.push('second'));
  feed.publish('a', delta('x'));
  expect(seen).toEqual(['first']);
  feed.publish('a', delta('y'));
  expect(seen).toEqual(['first', 'first', 'added']);
});

test('one listener may be subscribed twice', () => {
  const feed = createFeed();
  let calls = 0;
  const listener = (): void => void (calls += 1);
  const first = feed.subscribe('a', listener);
  feed.subscribe('a', listener);
  feed.publish('a', delta('x'));
  first[Symbol.dispose]();
  feed.publish('a', delta('x'));
  expect(calls).toBe(3);
});
