import { expect, test } from 'vitest';
import { watchAbandoned } from './takeover.ts';

/** A watch whose looks find these conversations, and what it continues. */
function watchOf(find: () => Promise<readonly string[]>, { address = 'http://one', now = (): number => 0 } = {}) {
  const continued: (readonly string[])[] = [];
  const watch = watchAbandoned({
    replicas: { abandoned: find },
    address,
    recover: async (ids) => void continued.push(ids),
    every: () => ({ [Symbol.dispose]: () => undefined }),
    now,
    onFailure: (error) => expect.unreachable(String(error)),
  });
  return { watch, continued };
}

test('a look that is wanted during another one follows it', async () => {
  const gate = Promise.withResolvers<void>();
  const { watch, continued } = watchOf(async () => {
    await gate.promise;
    return [];
  });
  for (let count = 0; count < 3; count += 1) watch.look();
  gate.resolve();
  await expect.poll(() => continued).toEqual([[], []]);
});

test('nothing is continued for ten seconds after an outage in which leases end, and after a slow look it is', async () => {
  let [time, took] = [0, 5_000];
  const find = async () => {
    time += took;
    return ['c'];
  };
  const { watch, continued } = watchOf(find, { now: () => time });
  const looked = async () => {
    const { length } = continued;
    watch.look();
    await expect.poll(() => continued).toHaveLength(length + 1);
    // Another look is accepted after the end of this one.
    await new Promise(setImmediate);
    return continued.at(-1);
  };
  expect(await looked()).toEqual(['c']);
  took = 15_000;
  expect(await looked()).toEqual([]);
  took = 0;
  time += 9_000;
  expect(await looked()).toEqual([]);
  time += 1_000;
  expect(await looked()).toEqual(['c']);
});

test('conversations are continued in their order, except that replicas begin with different ones', async () => {
  const ids = Array.from({ length: 100 }, (_, n) => `c${n}`);
  const orders = await Promise.all(
    ['http://one', 'http://two'].map(async (address) => {
      const { watch, continued } = watchOf(async () => ids, { address });
      watch.look();
      await expect.poll(() => continued).toHaveLength(1);
      return continued[0] ?? [];
    }),
  );
  for (const order of orders) {
    expect(order.slice(32)).toEqual(ids.slice(32));
    expect(order.slice(0, 32).toSorted()).toEqual(ids.slice(0, 32).toSorted());
  }
  expect(orders[0]).not.toEqual(orders[1]);
});

test('conversations that open slowly do not delay the next look', async () => {
  let looks = 0;
  const watch = watchAbandoned({
    replicas: { abandoned: async () => [`c${(looks += 1)}`] },
    address: 'http://one',
    recover: async () => new Promise<never>(() => {}),
    every: () => ({ [Symbol.dispose]: () => undefined }),
    now: () => 0,
    onFailure: (error) => expect.unreachable(String(error)),
  });
  watch.look();
  await expect.poll(() => looks).toBe(1);
  watch.look();
  await expect.poll(() => looks).toBe(2);
});
