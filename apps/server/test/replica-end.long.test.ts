import { once } from 'node:events';
import { appendFileSync, readFileSync } from 'node:fs';
import { join } from 'node:path';
import type { ModelRequest } from '@varve/llm';
import { scriptedServer, type ScriptedTurn } from '@varve/llm/testing';
import { describe, expect, test } from 'vitest';
import { longSteps, unwantedIn, type Shown } from '../../../packages/server/test/restart/long-steps.ts';
import { webhookReceiver } from '../../../packages/server/test/support/webhook-receiver.ts';
import { countRows, freePort, freshUrl, problem } from '../../../packages/storage-postgres/test/server.ts';
import { tcpProxy } from '../../../packages/storage-postgres/test/tcp-proxy.ts';
import { followedEvents } from './follow-events.ts';
import { conversation, finish, forever, until, type ConversationInfo, type Stored } from './replica-conversation.ts';
import { jsonOf, replicaGroup, requested, startServer, type ReplicaGroup } from './replica-group.ts';

function effects(directory: string): string {
  return join(directory, 'effects');
}

describe.skipIf(problem !== undefined)('other replicas of a store', () => {
  test.for(['SIGKILL', 'SIGTERM'] as const)(
    'finish the run and end the command of one that ends by %s, and a client sees each event once',
    async (signal) => {
      const steps = 12;
      let group: ReplicaGroup | undefined;
      const kill = Promise.withResolvers<void>();
      const reply = ({ messages }: ModelRequest): ScriptedTurn => {
        const done = messages.filter(({ role }) => role === 'assistant').length;
        if (done === 5) kill.resolve();
        if (done >= steps || !group) return finish;
        return {
          calls: [{ name: 'terminal', arguments: { command: `echo ${done} >> '${effects(group.directory)}'` } }],
        };
      };
      await using model = await scriptedServer(forever(reply));
      const url = await freshUrl();
      await using started = (group = await replicaGroup(url, 3));
      appendFileSync(effects(started.directory), '');
      const [one] = started.replicas;
      if (!one) throw new Error('A replica is missing.');
      const { id } = await one.json<ConversationInfo>(
        'POST',
        '/conversations',
        conversation(model, started.directory, 'Run.'),
      );
      const followed = followedEvents(started.url, id);
      const command = await one.json<Stored>('POST', '/bash/start_bash_command', { command: 'sleep 600' });
      await kill.promise;
      // Only the clock of the database counts.
      for (const replica of started.replicas) replica.skewClock(-300_000);
      const ended = once(one.process, 'exit');
      one.process.kill(signal);
      await ended;
      await until(started, id, 'finished');
      const { items } = await jsonOf<{ readonly items: readonly { readonly id: string }[] }>(
        await requested(started.url, 'GET', `/conversations/${id}/events/search?limit=100`),
        'events',
      );
      const seen = await followed.until((events) => events.some(({ id: eventId }) => eventId === items.at(-1)?.id));
      expect(seen.map(({ id: eventId }) => eventId)).toEqual(items.map((event) => event.id));
      const lines = readFileSync(effects(started.directory), 'utf8').trim().split('\n');
      expect(lines).toEqual([...new Set(lines)]);
      // The outcome of a command is unknown only if its replica was killed.
      expect(lines.length).toBeGreaterThanOrEqual(signal === 'SIGTERM' ? steps : steps - 1);
      const outputs = async () =>
        requested(started.url, 'GET', `/bash/bash_events/search?command_id__eq=${command.id}`).then(async (response) =>
          jsonOf<object>(response, 'outputs'),
        );
      // What it ran before it was killed has an unknown outcome.
      const output = { kind: 'BashOutput', order: 0, exit_code: signal === 'SIGTERM' ? -1 : 255 };
      await expect.poll(outputs, { timeout: 60_000 }).toMatchObject({ items: [output] });
      expect(await countRows(url, `record WHERE name LIKE 'bash_running/%'`)).toBe(0);
    },
  );

  test('continue runs whose steps are too long for the end of one that stops regularly', async () => {
    let directory = '';
    const { script, texts, inProgress, resume } = longSteps(() => directory);
    await using model = await scriptedServer(script);
    await using group = await replicaGroup(await freshUrl(), 2);
    directory = group.directory;
    const [one, two] = group.replicas;
    if (!one || !two) throw new Error('A replica is missing.');
    const ids: string[] = [];
    for (const text of texts) {
      const body = conversation(model, directory, text);
      ids.push((await one.json<ConversationInfo>('POST', '/conversations', body)).id);
    }
    await inProgress();
    resume();
    const ended = once(one.process, 'exit');
    one.process.kill('SIGTERM');
    await ended;
    for (const id of ids) {
      await until(group, id, 'finished');
      const path = `/conversations/${id}/events/search?limit=100`;
      expect(unwantedIn((await two.json<{ readonly items: readonly Shown[] }>('GET', path)).items)).toEqual([]);
    }
  });

  test('are not needed by one that stops while it cannot reach the database, and that ends within its time', async () => {
    const url = new URL(await freshUrl());
    await using proxy = await tcpProxy(Number(url.port));
    url.port = String(proxy.port);
    const receiver = await webhookReceiver(() => 200);
    await using model = await scriptedServer(forever({ fault: { kind: 'hang', afterPieces: 0 } }));
    const env = { OH_WEBHOOKS: JSON.stringify([{ base_url: receiver.url, event_buffer_size: 1 }]) };
    await using group = await replicaGroup(url.href, 1, { env });
    const [one] = group.replicas;
    if (!one) throw new Error('A replica is missing.');
    await one.json('POST', '/conversations', conversation(model, group.directory, 'Run.'));
    await expect.poll(() => model.requests.length).toBe(1);
    await proxy.cut();
    const ended = once(one.process, 'exit', { signal: AbortSignal.timeout(30_000) });
    one.process.kill('SIGTERM');
    expect(await ended).toEqual([0, null]);
  });

  test('receive the conversation of one whose address nothing answers, and pause its run', async () => {
    await using model = await scriptedServer(forever({ fault: { kind: 'hang', afterPieces: 0 } }));
    const url = await freshUrl();
    await using group = await replicaGroup(url, 1);
    const [other] = group.replicas;
    const address = `http://127.0.0.1:${await freePort()}`;
    const args = ['--port', '0', '--address', address, '--store', url];
    const holder = await startServer(join(group.directory, 'holder'), args);
    const body = conversation(model, group.directory, 'Run.');
    const { id } = await holder.json<ConversationInfo>('POST', '/conversations', body);
    const paused = async () => (await other?.send('POST', `/conversations/${id}/pause`))?.status;
    await expect.poll(paused, { timeout: 60_000 }).toBe(200);
    await until(group, id, 'paused');
    await holder.kill();
  });

  test('send a webhook what one that is killed has not sent of conversations that do not run', async () => {
    let isUp = false;
    const receiver = await webhookReceiver(() => (isUp ? 200 : 500));
    const webhooks = [{ base_url: receiver.url, event_buffer_size: 1, num_retries: 0, flush_delay: 0 }];
    await using model = await scriptedServer(forever(finish));
    const url = await freshUrl();
    await using group = await replicaGroup(url, 3, { env: { OH_WEBHOOKS: JSON.stringify(webhooks) } });
    const [one, two] = group.replicas;
    if (!one || !two) throw new Error('A replica is missing.');
    const body = conversation(model, group.directory, 'Run.');
    const { id } = await one.json<ConversationInfo>('POST', '/conversations', body);
    await until(group, id, 'finished');
    await one.kill();
    isUp = true;
    const path = `/conversations/${id}/events/search?limit=100`;
    const stored = async () => (await two.json<{ readonly items: readonly Stored[] }>('GET', path)).items;
    await receiver.untilArrived(async () => (await stored()).map((event) => event.id));
    // Each is sent by one of the others.
    const ids = receiver.events().map((event) => event['id']);
    expect(ids).toEqual([...new Set(ids)]);
    await expect.poll(async () => countRows(url, `record WHERE name LIKE 'webhooks%'`), { timeout: 60_000 }).toBe(0);
  });
});
