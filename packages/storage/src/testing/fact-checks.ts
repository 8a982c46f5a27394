import assert from 'node:assert/strict';
import type { Json } from '@varve/events';
import type { Fact, FactQuery } from '../contract/facts.ts';
import type { NewEvent } from '../contract/log.ts';
import type { EventStore } from '../contract/store.ts';
import { rejectsWith } from './assertions.ts';
import { newEvent } from './events.ts';
import { logCheck, storeCheck, type StoreCheck } from './store-check.ts';

/** Checks of finding facts. */
export const factChecks: readonly StoreCheck[] = [
  storeCheck(
    'a fact is found by its name, and by its value, in every conversation',
    ['findsFacts'],
    async ({ store }) => {
      const [log, other] = [await store.create('one', {}), await store.create('other', {})];
      await log.append([newEvent('a'), update('b', 'varve.effect', { action_id: 'x', n: 1 })]);
      await other.append([update('a', 'varve.effect', { action_id: 'y' }), update('b', 'varve.leaf', 'x')]);
      await log.append([update('c', 'varve.effect', { action_id: 'x' })]);
      const name = 'varve.effect.action_id';
      assert.deepEqual(await placesOf(store, { name }), ['x one 1', 'x one 2', 'y other 0']);
      assert.deepEqual(await placesOf(store, { name, value: 'y' }), ['y other 0']);
      assert.deepEqual(await placesOf(store, { name, value: 'z' }), []);
      assert.deepEqual(await placesOf(store, { name: 'varve.leaf' }), ['x other 1']);
      assert.deepEqual(await placesOf(store, { name: 'varve.effect' }), []);
      const { items } = (await store.facts?.({ name: 'varve.leaf' })) ?? { items: [] };
      assert.deepEqual(items, [{ name: 'varve.leaf', value: 'x', conversation: 'other', seq: 1 }]);
    },
  ),
  logCheck(
    'items of a list are found once each; numbers, records, long or half texts and other events are not',
    ['findsFacts'],
    async ({ log, store }) => {
      const digests = { messages: 'm' };
      const value = {
        actions: ['p', 'q', 'p'],
        at: 5,
        digests,
        long: 'x'.repeat(257),
        half: '\ud800',
        fits: 'x'.repeat(256),
        '': 'empty',
        '\ud800': 'half',
        ['y'.repeat(256)]: 'long',
      };
      await log.append([
        update('a', 'varve.call', value),
        update('b', 'execution_status', 'running'),
        { ...update('c', 'varve.call', { actions: ['r'] }), kind: 'MessageEvent' },
        { ...newEvent('d'), kind: 'ConversationStateUpdateEvent' },
        update('e', 'varve.list', ['é', 'z', '😀', '\u{ffff}']),
      ]);
      assert.deepEqual(await placesOf(store, { name: 'varve.call.actions' }), ['p c 0', 'q c 0']);
      for (const member of ['at', 'digests', 'digests.messages', 'long', 'half', '\ufffd', 'y'.repeat(256)]) {
        assert.deepEqual(await placesOf(store, { name: `varve.call.${member}` }), []);
      }
      assert.equal((await placesOf(store, { name: 'varve.call.fits' })).length, 1);
      assert.deepEqual(await placesOf(store, { name: 'varve.call.' }), ['empty c 0']);
      assert.deepEqual(await placesOf(store, { name: 'execution_status' }), []);
      const list = await placesOf(store, { name: 'varve.list' });
      assert.deepEqual(list, ['z c 4', 'é c 4', '\u{ffff} c 4', '😀 c 4']);
    },
  ),
  storeCheck(
    'pages of facts of any size add up to the whole, with a value and without',
    ['findsFacts'],
    async ({ store }) => {
      for (const id of ['b', 'a', 'c']) {
        const log = await store.create(id, {});
        await log.append(Array.from({ length: 8 }, (_, n) => update(`e${n}`, 'varve.x', { v: `v${n % 3}` })));
      }
      for (const wanted of [{ name: 'varve.x.v' }, { name: 'varve.x.v', value: 'v1' }]) {
        const whole = await placesOf(store, wanted);
        assert.equal(whole.length, 'value' in wanted ? 9 : 24);
        for (const limit of [1, 5, 8, 23, 24, 25, 1000]) {
          assert.deepEqual(await placesOf(store, { ...wanted, limit }), whole);
        }
      }
      const first = await store.facts?.({ name: 'varve.x.v', limit: 24 });
      assert.deepEqual([first?.items.length, first && 'next' in first], [24, false]);
    },
  ),
  storeCheck(
    'a limit out of range and a cursor that is not from a page of facts are invalid',
    ['findsFacts'],
    async ({ store }) => {
      const name = 'varve.x';
      for (const limit of [0, 1001, 1.5]) await rejectsWith('invalid', async () => store.facts?.({ name, limit }));
      for (const after of ['', 'x', '{}', '[]', '["a","c"]', '["a","c",-1]', '["a","",1]', '[1,"c",1]']) {
        await rejectsWith('invalid', async () => store.facts?.({ name, after }));
      }
    },
  ),
  storeCheck(
    'facts are added by an append and removed with their conversation or a cut',
    ['findsFacts', 'keepsProof'],
    async ({ store }) => {
      const name = 'varve.x';
      const log = await store.create('c', {});
      await log.append([update('a', name, 'a'), update('b', name, 'b'), update('c', name, 'c')]);
      assert.deepEqual(await placesOf(store, { name }), ['a c 0', 'b c 1', 'c c 2']);
      await log.proof?.cut(1);
      assert.deepEqual(await placesOf(store, { name }), ['a c 0']);
      await log.append([newEvent('d'), update('e', name, 'e')]);
      assert.deepEqual(await placesOf(store, { name }), ['a c 0', 'e c 2']);
      await log[Symbol.asyncDispose]();
      await store.remove('c');
      assert.deepEqual(await placesOf(store, { name }), []);
    },
  ),
  logCheck('another handle finds acknowledged facts', ['findsFacts', 'reopen'], async ({ log, reopen }) => {
    await using other = await reopen();
    for (const id of ['a', 'b', 'c']) {
      await log.append([update(id, 'varve.x', id)]);
      assert.deepEqual((await placesOf(other, { name: 'varve.x', value: id })).length, 1);
    }
  }),
];

function update(id: string, key: string, value: Json): NewEvent {
  const kind = 'ConversationStateUpdateEvent';
  return { id, kind, parentId: undefined, text: JSON.stringify({ id, key, value, kind }) };
}

async function placesOf(store: EventStore, query: FactQuery): Promise<readonly string[]> {
  const facts: Fact[] = [];
  for (let after: string | undefined; ;) {
    const page = await store.facts?.({ ...query, ...(after !== undefined && { after }) });
    facts.push(...(page?.items ?? []));
    assert.ok(facts.length <= 1000, 'the pages have no end');
    if (page?.next === undefined) break;
    after = page.next;
  }
  return facts.map(({ value, conversation, seq }) => `${value} ${conversation} ${seq}`);
}
