import { expect, test } from 'vitest';
import { agentEvent } from '../agent-event.ts';
import { type VolatileFiles, volatileFiles } from '../volatile-files.ts';
import { thisProcess } from '../../src/kit/holder.ts';
import { verify } from '../../src/proof/verify.ts';
import { idsOf } from '../../src/testing/events.ts';
import { eventName } from '../../src/directory/layout/event-file.ts';
import { EventIndex } from '../../src/directory/layout/event-index.ts';
import { pathsOf } from '../../src/directory/layout/paths.ts';
import { RootedStore } from '../../src/directory/rooted-store.ts';
import { SealWriter } from '../../src/directory/seals/seal-writer.ts';
import { takeLease } from '../../src/directory/take-lease.ts';

const id = '0123456789abcdef0123456789abcdef';
const paths = pathsOf(`/srv/root/${id}`);
const inTwoHours = (): number => Date.now() + 7_200_000;

function storeOver(files: VolatileFiles): RootedStore {
  const options = { files, root: '/srv/root', leaseMs: 3_600_000, pollMs: 250, now: () => Date.now() };
  return new RootedStore({ ...options, holder: thisProcess(), warn: () => {} });
}

/** Creates a log of one event without a lease. */
async function oneEventLog(): Promise<VolatileFiles> {
  const files = volatileFiles();
  const log = await storeOver(files).create(id, {});
  await log.append([agentEvent(0)]);
  await log[Symbol.asyncDispose]();
  return files;
}

/** Takes over the lease, appends and seals, as another process would between two calls. */
function takeOver(files: VolatileFiles): void {
  takeLease({ id, files, paths, leaseMs: 45_000, now: inTwoHours, holder: thisProcess() });
  const head = files.list(paths.events).length;
  files.write(`${paths.events}/${eventName({ seq: head, slug: agentEvent(head).id })}`, agentEvent(head).text);
  const index = new EventIndex({ id, files, paths, warn: () => {} });
  index.rescanIfChanged();
  void new SealWriter({ id, files, paths, index, sealedOnce: undefined, now: inTwoHours }).catchUp();
}

test('a holder that loses its lease at any call of its opening records no lost event and appends nothing', async () => {
  const outcomes: string[] = [];
  for (let call = 1; ; call += 1) {
    const files = await oneEventLog();
    const start = files.calls;
    let isTakenOver = false;
    files.failWith('EIO', () => {
      if (isTakenOver || files.calls !== start + call) return false;
      isTakenOver = true;
      takeOver(files);
      return false;
    });
    const store = storeOver(files);
    const opened = await store.open(id).catch((error: { readonly code: string }) => error.code);
    if (!isTakenOver) break;
    const appended = typeof opened === 'string' ? opened : opened.append([agentEvent(9)]).then(() => 'done');
    outcomes.push(await Promise.resolve(appended).catch((error: { readonly code: string }) => error.code));
    const reader = await storeOver(files).read(id);
    expect(files.read(paths.seals)?.toString(), `call ${call}`).not.toContain('"cut"');
    const { broken, sealed, head } = await verify(reader);
    expect([broken, sealed, head]).toEqual([undefined, 2, 2]);
    expect(await idsOf(reader.range(0))).toEqual([agentEvent(0).id, agentEvent(1).id]);
  }
  expect(outcomes.length).toBeGreaterThan(20);
  expect(new Set(outcomes)).toEqual(new Set(['held', 'fenced']));
});

/** Results of the next `open`: the head of the log or an error code. */
const expectedOutcomes = { create: ['missing', 0], open: [1], remove: ['missing', 1] };

test.for(['create', 'open', 'remove'] as const)('a failure at any call of %s leaves no lease', async (what) => {
  let failures = 0;
  for (let call = 1; ; call += 1) {
    const files = what === 'create' ? volatileFiles() : await oneEventLog();
    const start = files.calls;
    files.failWith('EIO', () => files.calls === start + call);
    const store = storeOver(files);
    const work = async () => (what === 'create' ? store.create(id, {}) : store[what](id));
    const failed = await work().then(
      () => false,
      (error: { readonly code: string }) => error.code === 'io',
    );
    if (files.calls < start + call) break;
    files.failWith('EIO', () => false);
    if (!failed) continue;
    failures += 1;
    const again = await storeOver(files)
      .open(id)
      .then(async (log) => log.head())
      .catch((error: { readonly code: string }) => error.code);
    expect(expectedOutcomes[what], `call ${call}`).toContain(again);
  }
  expect(failures).toBeGreaterThan(5);
});
