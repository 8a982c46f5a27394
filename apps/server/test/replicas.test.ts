import { appendFileSync, readFileSync } from 'node:fs';
import { once } from 'node:events';
import { join } from 'node:path';
import type { ModelRequest } from '@varve/llm';
import { scriptedServer, type ScriptedServer, type ScriptedStep, type ScriptedTurn } from '@varve/llm/testing';
import { describe, expect, test } from 'vitest';
import { countRows, freshUrl, problem } from '../../../packages/storage-postgres/test/server.ts';
import { followedEvents } from './follow-events.ts';
import { key, replicaGroup, requested, jsonOf, type ReplicaGroup, type ReplicaProcess } from './replica-group.ts';

interface Info {
  readonly id: string;
  readonly execution_status: string;
}

const finish: ScriptedTurn = { calls: [{ name: 'finish', arguments: { message: 'Done.' } }] };

interface Profiles {
  readonly profiles: readonly { readonly id: string; readonly name: string }[];
}

interface Stored {
  readonly id: string;
}

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

/** Lets the agent of a gateway answer. */
async function complete({ url }: ReplicaProcess, headers: object = {}): Promise<Response> {
  return fetch(`${url}/v1/chat/completions`, {
    method: 'POST',
    headers: { authorization: `Bearer ${key}`, 'content-type': 'application/json', ...headers },
    body: JSON.stringify({ model: 'openhands_fast', messages: [{ role: 'user', content: 'Hello' }] }),
  });
}

async function until(group: ReplicaGroup, id: string, status: string): Promise<void> {
  const current = async () => jsonOf<Info>(await requested(group.url, 'GET', `/conversations/${id}`), 'status');
  await expect.poll(async () => (await current()).execution_status, { timeout: 60_000 }).toBe(status);
}

describe.skipIf(problem !== undefined)('replicas of one store', () => {
  test('answer every request, wherever the conversation is open, and share settings and secrets', async () => {
    await using model = await scriptedServer(forever(finish));
    const url = await freshUrl();
    await using group = await replicaGroup(url, 3);
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
    const { profiles } = await two.json<Profiles>('GET', '/agent-profiles');
    expect(await three.json('GET', `/agent-profiles/${profiles[0]?.name}`)).toMatchObject({ profile: profiles[0] });
    const command = await one.json<Stored>('POST', '/bash/start_bash_command', { command: 'echo shared' });
    const output = { kind: 'BashOutput', stdout: 'shared\n', exit_code: 0 };
    const path = `/bash/bash_events/search?command_id__eq=${command.id}`;
    await expect.poll(async () => two.json('GET', path)).toMatchObject({ items: [output] });
    expect(await three.json('GET', `/bash/bash_events/${command.id}`)).toMatchObject({ command: 'echo shared' });
    await one.json('POST', '/conversations', conversation(model, group.directory));
    await one.kill();
    // Nothing continues those that do not run, and their leases do not remain.
    await expect.poll(async () => countRows(url, 'conversation WHERE lease_until IS NOT NULL')).toBe(0);
    await two.json('POST', `/conversations/${id}/events`, messageOf('Third.'));
    await expect.poll(() => model.requests.length).toBe(3);
    // Its key is one of the private values that the replicas share.
    expect(model.requests.at(-1)?.headers['authorization']).toBe('Bearer sk-of-the-test');
  });

  test('answer by the gateway, also in a conversation that another one has open', async () => {
    await using model = await scriptedServer(forever({ text: 'Hi.' }));
    await using group = await replicaGroup(await freshUrl(), 2);
    const [one, two] = group.replicas;
    if (!one || !two) throw new Error('A replica is missing.');
    const llm = { model: 'openai/scripted', base_url: model.url, api_key: 'sk-of-the-test' };
    await one.json('POST', '/profiles/fast', { llm });
    const first = await complete(one);
    expect(first.status).toBe(200);
    const name = 'x-openhands-serverconversation-id';
    const id = first.headers.get(name);
    const second = await complete(two, { [name]: id });
    expect([second.status, second.headers.get(name)]).toEqual([200, id]);
  });

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
      const { id } = await one.json<Info>('POST', '/conversations', conversation(model, started.directory, 'Run.'));
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
});
