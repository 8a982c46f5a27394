import { join } from 'node:path';
import { setTimeout as delay } from 'node:timers/promises';
import { postgresStore } from '@varve/storage-postgres';
import { describe, expect, test } from 'vitest';
import { problem, programs } from '../../../../packages/storage-postgres/test/server.ts';
import { upgrade } from '../../../../packages/storage-postgres/test/upgrade.ts';
import type { FaultTarget } from '../chaos/faults.ts';
import { runChaos } from '../chaos/run-chaos.ts';
import { jsonOf, requested } from '../replica-group.ts';
import { nginx, nginxBalancer } from './nginx.ts';
import { appendTo, backup, restored, varve } from './restore.ts';

/** Counts of requests and of those that were refused. */
interface Requests {
  readonly sent: number;
  readonly refused: number;
}

/** Sends requests that need an open conversation until `work` ends. */
async function requestsDuring({ url }: FaultTarget['group'], work: () => Promise<void>): Promise<Requests> {
  const statuses: number[] = [];
  const isOver = new AbortController();
  const { items } = await jsonOf<{ readonly items: readonly { readonly id: string }[] }>(
    await requested(url, 'GET', '/conversations/search'),
    'search',
  );
  const lane = async (id: string): Promise<void> => {
    for (let n = 0; !isOver.signal.aborted; n += 1) {
      statuses.push((await requested(url, 'PATCH', `/conversations/${id}`, { title: `Title ${n}` })).status);
      await delay(50);
    }
  };
  const lanes = items.map(async ({ id }) => lane(id));
  await work().finally(() => isOver.abort());
  await Promise.all(lanes);
  return { sent: statuses.length, refused: statuses.filter((status) => status !== 200).length };
}

const isMissing = problem !== undefined || programs === undefined || nginx === undefined;

describe.skipIf(isMissing)('three replicas behind the nginx of the compose file', () => {
  test('are upgraded one after the other while clients use them, and restored from a backup of that time', async () => {
    let requests: Requests = { sent: 0, refused: 0 };
    let lost = 0;
    const result = await runChaos({
      seconds: 20,
      conversations: 6,
      seed: 11,
      log: () => {},
      balance: nginxBalancer,
      async faults({ group, database: { url } }) {
        const file = await backup(url, group.directory);
        await upgrade(url, 1);
        requests = await requestsDuring(group, async () => {
          for (const replica of group.live()) await group.restart(replica);
        });
        const copy = await restored(url, file);
        lost = await checkCopy(copy, url, group.directory);
        return {};
      },
    });
    expect(result.violations).toEqual([]);
    // nginx sends a few to a replica that stops at that moment.
    expect(requests.refused).toBeLessThan(requests.sent / 100);
    expect(lost).toBeGreaterThan(0);
  });
});

/** Checks each conversation of a restored database, and returns how many events its backup lacks. */
async function checkCopy(copy: string, original: string, home: string): Promise<number> {
  await using source = await postgresStore({ url: original });
  await using store = await postgresStore({ url: copy });
  const { items } = await store.list();
  expect(items).toHaveLength(6);
  const ids = items.map(({ id }) => id);
  const file = `sqlite:${join(home, 'copy.db')}`;
  await varve(home, ['cp', file, ...ids, '--store', copy]);
  let lost = 0;
  for (const { id, head } of items) {
    for (const url of [copy, file]) await varve(home, ['verify', id, '--require-seals', '--store', url]);
    lost += (await source.summary(id)).head - head;
    await appendTo(store, id);
  }
  return lost;
}
