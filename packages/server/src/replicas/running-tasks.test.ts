import { redactor } from '@varve/text';
import { expect, onTestFinished, test } from 'vitest';
import { temporaryDirectory } from '../../test/support/temporary-directory.ts';
import { directoryEvents } from '../workspace/bash/bash-event-store.ts';
import { bashService } from '../workspace/bash/bash-service.ts';
import { directoryLists } from '../hosting/task-lists.ts';
import { runningTasks } from './running-tasks.ts';

/** Two servers with the same directory, of which each runs its timers only when the test does. */
async function twoServers() {
  const directory = await temporaryDirectory();
  onTestFinished(() => directory[Symbol.asyncDispose]());
  const lists = directoryLists(directory.at('running'));
  const stored = directoryEvents(directory.at('events'));
  let isFull = false;
  const store: typeof stored = {
    ...stored,
    async add(...event) {
      if (isFull) throw new Error('disk full');
      await stored.add(...event);
    },
  };
  const errors: unknown[] = [];
  const start = () => {
    const ticks = new Map<number, () => void>();
    let reads = 0;
    const every = (ms: number, tick: () => void): Disposable => {
      ticks.set(ms, tick);
      return { [Symbol.dispose]: () => void ticks.delete(ms) };
    };
    const service = bashService({
      store,
      env: process.env,
      redactor: redactor([], { replacement: '' }),
      retention: { maxEvents: 100 },
      root: directory.path,
      now: Date.now,
      onError: (error) => errors.push(error),
      openRunning: (takeOver) =>
        runningTasks({
          lists: { ...lists, names: async () => lists.names().finally(() => (reads += 1)) },
          takeOver,
          every,
          now: () => 0,
          onFailure: (error) => errors.push(error),
        }),
    });
    onTestFinished(() => service[Symbol.asyncDispose]());
    return {
      service,
      renew: () => ticks.get(5_000)?.(),
      /** Checks the lists of others a number of times. */
      async check(times: number): Promise<void> {
        for (let n = reads; times > 0; times -= 1) {
          n += 1;
          await expect.poll(() => (ticks.get(2_000)?.(), reads)).toBeGreaterThanOrEqual(n);
        }
      },
    };
  };
  const outputs = async (commandId: string) =>
    (await one.service.search({ commandId, order: 'TIMESTAMP', limit: 10 })).items;
  const [one, other] = [start(), start()];
  const setFull = (full: boolean): void => void (isFull = full);
  return { one, other, outputs, errors, lists, setFull };
}

const waiting = (file: string) => ({
  command: `echo begun; while [ ! -e ${file} ]; do sleep 0.05; done`,
  cwd: null,
  timeout: 60,
});

test('a command of a server that renews nothing is ended by another one, once, and its own end is not stored', async () => {
  const { one, other, outputs, errors, lists } = await twoServers();
  const { command, ended } = await one.service.start(waiting('release'));
  const refused = ended.catch((error: unknown) => error);
  await other.check(20);
  await expect
    .poll(async () => outputs(command.id))
    .toMatchObject([
      { order: 0, exit_code: 255, stderr: expect.stringContaining('outcome of the command is unknown') },
    ]);
  await expect.poll(async () => lists.names()).toEqual([]);
  await other.check(20);
  await (
    await other.service.start({ command: 'touch release', cwd: null, timeout: 60 })
  ).ended;
  expect(await refused).toMatchObject({ code: 'conflict' });
  expect(await outputs(command.id)).toHaveLength(1);
  expect(errors).toHaveLength(1);
  // The server that was taken for one that ended runs later commands as before.
  expect(await (await one.service.start({ command: 'exit 3', cwd: null, timeout: 60 })).ended).toMatchObject({
    exit_code: 3,
  });
});

test('a command of a server that renews its list is not ended by another one', async () => {
  const { one, other, outputs, lists } = await twoServers();
  const { command, ended } = await one.service.start(waiting('release'));
  for (let n = 0; n < 4; n += 1) {
    await other.check(6);
    const [name = ''] = await lists.names();
    const { version } = await lists.read(name);
    one.renew();
    await expect.poll(async () => lists.read(name)).toMatchObject({ version: version + 1 });
  }
  await (
    await other.service.start({ command: 'touch release', cwd: null, timeout: 60 })
  ).ended;
  expect(await ended).toMatchObject({ order: 0, exit_code: 0, stdout: 'begun\n' });
  expect(await outputs(command.id)).toHaveLength(1);
});

test('a command whose end could not be stored is ended by a renewal', async () => {
  const { one, outputs, errors, setFull } = await twoServers();
  const { command, ended } = await one.service.start({ command: 'sleep 0.2', cwd: null, timeout: 60 });
  setFull(true);
  await expect(ended).rejects.toThrow('disk full');
  setFull(false);
  await expect.poll(() => errors).toHaveLength(1);
  one.renew();
  await expect.poll(async () => outputs(command.id)).toMatchObject([{ order: 0, exit_code: 255 }]);
});
