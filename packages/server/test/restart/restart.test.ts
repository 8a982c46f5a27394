import { mkdtempSync, rmSync } from 'node:fs';
import { tmpdir } from 'node:os';
import { join } from 'node:path';
import { scriptedServer, type ScriptedTurn } from '@varve/llm/testing';
import type { ModelRequest } from '@varve/llm';
import { expect, onTestFinished, test } from 'vitest';
import { message, requestFor } from '../support/running-server.ts';
import { webhookReceiver } from '../support/webhook-receiver.ts';
import { serverProcess } from './server-process.ts';

interface Info {
  readonly id: string;
  readonly execution_status: string;
}

interface Events {
  readonly items: readonly {
    readonly key?: string;
    readonly value?: { readonly active?: boolean; readonly status?: string };
  }[];
}

function newDirectory(): string {
  const directory = mkdtempSync(join(tmpdir(), 'varve-restart-'));
  onTestFinished(() => rmSync(directory, { recursive: true }));
  return directory;
}

/** Timeout for servers that start and are polled, on a busy machine. */

const finish: ScriptedTurn = { calls: [{ name: 'finish', arguments: { message: 'Done.' } }] };

test('after SIGKILL what was running or queued continues, goals included, and what waited waits', async () => {
  const directory = newDirectory();
  const { promise: asked, resolve: ask } = Promise.withResolvers<void>();
  let isKilled = false;
  // Replies depend on the message, because conversations run concurrently.
  const reply = (request: ModelRequest): ScriptedTurn => {
    const text = JSON.stringify(request.messages);
    if (text.includes('Wait.')) return { calls: [{ name: 'terminal', arguments: { command: 'echo waited' } }] };
    if (isKilled && request.tools.length === 0) return { text: '{"score": 1, "complete": true, "missing": ""}' };
    if (isKilled) return finish;
    ask();
    return { fault: { kind: 'hang', afterPieces: 0 } };
  };
  await using model = await scriptedServer(Array.from({ length: 20 }, () => reply));
  const options = { storeUrl: `sqlite:${join(directory, 'store')}`, home: join(directory, 'home'), maxRuns: 1 };
  const body = requestFor(model, join(directory, 'workspace'));
  const ids: string[] = [];
  {
    await using first = await serverProcess(options);
    const waiting = { ...body, confirmation_policy: { kind: 'AlwaysConfirm' }, initial_message: message('Wait.') };
    ids.push((await first.json<Info>('POST', '', waiting)).id);
    while ((await first.json<Info>('GET', `/${ids[0]}`)).execution_status !== 'waiting_for_confirmation');
    for (const text of ['Run.', 'Queue.']) {
      ids.push((await first.json<Info>('POST', '', { ...body, initial_message: message(text) })).id);
    }
    const goal = (await first.json<Info>('POST', '', body)).id;
    await first.json('POST', `/${goal}/goal`, { objective: 'Pursue.' });
    ids.push(goal);
    await asked;
    isKilled = true;
    await first.kill();
  }
  await using second = await serverProcess(options);
  const statusOf = async (id: string | undefined) => (await second.json<Info>('GET', `/${id}`)).execution_status;
  for (const id of ids.slice(1)) while ((await statusOf(id)) !== 'finished');
  expect(await statusOf(ids[0])).toBe('waiting_for_confirmation');
  // The run of a goal is finished before its work is judged.
  const goalNow = async () => {
    const { items } = await second.json<Events>('GET', `/${ids[3]}/events/search`);
    return items.findLast(({ key }) => key === 'goal')?.value;
  };
  while ((await goalNow())?.active !== false);
  expect(await goalNow()).toMatchObject({ status: 'complete', iteration: 1, objective: 'Pursue.' });
  // The key is known again, from the data directory.
  expect(model.requests.at(-1)?.headers['authorization']).toBe('Bearer sk-of-the-test');
  await second.stop();
});

test('after SIGKILL a webhook receives every event, once what is repeated is left out, in order', async () => {
  const directory = newDirectory();
  let isUp = false;
  const receiver = await webhookReceiver(() => (isUp ? 200 : 500));
  const { promise: asked, resolve: ask } = Promise.withResolvers<void>();
  const hang = (): ScriptedTurn => {
    ask();
    return { fault: { kind: 'hang', afterPieces: 0 } };
  };
  await using model = await scriptedServer([hang, finish]);
  const options = {
    storeUrl: `dir:${join(directory, 'store')}`,
    home: join(directory, 'home'),
    maxRuns: 1,
    webhooks: [{ base_url: receiver.url, event_buffer_size: 1, num_retries: 0, flush_delay: 0 }],
  };
  const body = requestFor(model, join(directory, 'workspace'));
  await using first = await serverProcess(options);
  const { id } = await first.json<Info>('POST', '', { ...body, initial_message: message('Run.') });
  await asked;
  await first.kill();
  isUp = true;
  await using second = await serverProcess(options);
  while ((await second.json<Info>('GET', `/${id}`)).execution_status !== 'finished');
  const search = `/${id}/events/search?limit=100`;
  const stored = async () => (await second.json<{ readonly items: readonly Info[] }>('GET', search)).items;
  await receiver.untilArrived(async () => (await stored()).map((event) => event.id));
  await second.stop();
});

test('after SIGKILL a goal whose work was being judged continues', async () => {
  const directory = newDirectory();
  const { promise: judged, resolve: judge } = Promise.withResolvers<void>();
  let isKilled = false;
  const reply = ({ tools }: ModelRequest): ScriptedTurn => {
    if (tools.length > 0) return finish;
    if (isKilled) return { text: '{"score": 1, "complete": true, "missing": ""}' };
    judge();
    return { fault: { kind: 'hang', afterPieces: 0 } };
  };
  await using model = await scriptedServer(Array.from({ length: 20 }, () => reply));
  const options = { storeUrl: `dir:${join(directory, 'store')}`, home: join(directory, 'home'), maxRuns: 1 };
  await using first = await serverProcess(options);
  const { id } = await first.json<Info>('POST', '', requestFor(model, join(directory, 'workspace')));
  await first.json('POST', `/${id}/goal`, { objective: 'Pursue.' });
  await judged;
  expect((await first.json<Info>('GET', `/${id}`)).execution_status).toBe('finished');
  isKilled = true;
  await first.kill();
  await using second = await serverProcess(options);
  // The goal is stored as interrupted before it is pursued again.
  const isComplete = async () => {
    const { items } = await second.json<Events>('GET', `/${id}/events/search`);
    return items.some(({ key, value }) => key === 'goal' && value?.status === 'complete');
  };
  while (!(await isComplete()));
  await second.stop();
});
