import { appendFileSync, readFileSync } from 'node:fs';
import { once } from 'node:events';
import { join } from 'node:path';
import type { ModelRequest } from '@varve/llm';
import { scriptedServer, type ScriptedServer, type ScriptedStep, type ScriptedTurn } from '@varve/llm/testing';
import { describe, expect, test } from 'vitest';
import { freshUrl, problem } from '../../../packages/storage-postgres/test/server.ts';
import { followedEvents } from './follow-events.ts';
import { replicaGroup, requested, jsonOf, type ReplicaGroup } from './replica-group.ts';

interface Info {
  readonly id: string;
  readonly execution_status: string;
}

const finish: ScriptedTurn = { calls: [{ name: 'finish', arguments: { message: 'Done.' } }] };

function* forever(step: ScriptedStep): Generator<ScriptedStep> {
  for (;;) yield step;
}

function conversation({ url }: ScriptedServer, directory: string, text?: string) {
  return {
    workspace: { working_dir: join(directory, 'workspace'), kind: 'LocalWorkspace' },
    confirmation_policy: { kind: 'NeverConfirm' },
    agent: {
      kind: 'Agent',
      llm: { model: 'openai/scripted', base_url: url, api_key: 'sk-of-the-test', num_retries: 0 },
    },
    ...(text !== undefined && { initial_message: messageOf(text) }),
  };
}

function messageOf(text: string, run = true) {
  return { role: 'user', content: [{ type: 'text', text }], run };
}

function secretOf(n: number) {
  return { name: `SECRET_${n}`, value: `value-${n}` };
}

function effects(directory: string): string {
  return join(directory, 'effects');
}

async function until(group: ReplicaGroup, id: string, status: string): Promise<void> {
  const current = async () => jsonOf<Info>(await requested(group.url, 'GET', `/conversations/${id}`), 'status');
  await expect.poll(async () => (await current()).execution_status, { timeout: 60_000 }).toBe(status);
}

describe.skipIf(problem !== undefined)('replicas of one store', () => {
  test('answer every request, wherever the conversation is open, and share settings and secrets', async () => {
    await using model = await scriptedServer(forever(finish));
    await using group = await replicaGroup(await freshUrl(), 3);
    const [one, two, three] = group.replicas;
    if (!one || !two || !three) throw new Error('A replica is missing.');
    const { id } = await one.json<Info>('POST', '/conversations', conversation(model, group.directory, 'First.'));
    await until(group, id, 'finished');
    await two.json('POST', `/conversations/${id}/events`, messageOf('Second.'));
    await expect.poll(() => model.requests.length).toBe(2);
    await until(group, id, 'finished');
    await three.json('PATCH', `/conversations/${id}`, { title: 'Shared' });
    expect(await one.json('GET', `/conversations/${id}`)).toMatchObject({ title: 'Shared' });
    await Promise.all(group.replicas.map(async (replica, n) => replica.json('PUT', '/settings/secrets', secretOf(n))));
    for (const replica of group.replicas) {
      expect(await (await replica.send('GET', '/settings/secrets/SECRET_1')).text()).toBe('value-1');
      const { secrets } = await replica.json<{ readonly secrets: readonly { readonly name: string }[] }>(
        'GET',
        '/settings/secrets',
      );
      expect(secrets.map(({ name }) => name)).toEqual(['SECRET_0', 'SECRET_1', 'SECRET_2']);
    }
    await one.kill();
    await two.json('POST', `/conversations/${id}/events`, messageOf('Third.'));
    await expect.poll(() => model.requests.length).toBe(3);
    // Its key is one of the private values that the replicas share.
    expect(model.requests.at(-1)?.headers['authorization']).toBe('Bearer sk-of-the-test');
  });

  test.for(['SIGKILL', 'SIGTERM'] as const)(
    'finish the run of one that ends by %s, and a client sees each event once',
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
      await using started = (group = await replicaGroup(await freshUrl(), 3));
      appendFileSync(effects(started.directory), '');
      const [one] = started.replicas;
      if (!one) throw new Error('A replica is missing.');
      const { id } = await one.json<Info>('POST', '/conversations', conversation(model, started.directory, 'Run.'));
      const followed = followedEvents(started.url, id);
      await kill.promise;
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
    },
  );
});
