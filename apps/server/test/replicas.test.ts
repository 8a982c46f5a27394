import { scriptedServer, type ScriptedTurn } from '@varve/llm/testing';
import { describe, expect, test } from 'vitest';
import { webhookReceiver } from '../../../packages/server/test/support/webhook-receiver.ts';
import { countRows, freshUrl, problem } from '../../../packages/storage-postgres/test/server.ts';
import {
  conversation,
  finish,
  forever,
  messageOf,
  until,
  type ConversationInfo,
  type Stored,
} from './replica-conversation.ts';
import { key, replicaGroup, type ReplicaProcess } from './replica-group.ts';

interface Profiles {
  readonly profiles: readonly { readonly id: string; readonly name: string }[];
}

function secretOf(n: number) {
  return { name: `SECRET_${n}`, value: `value-${n}` };
}

/** Lets the agent of a gateway answer. */
async function complete({ url }: ReplicaProcess, headers: object = {}): Promise<Response> {
  return fetch(`${url}/v1/chat/completions`, {
    method: 'POST',
    headers: { authorization: `Bearer ${key}`, 'content-type': 'application/json', ...headers },
    body: JSON.stringify({ model: 'openhands_fast', messages: [{ role: 'user', content: 'Hello' }] }),
  });
}

describe.skipIf(problem !== undefined)('replicas of one store', () => {
  test('answer every request, wherever the conversation is open, and share settings and secrets', async () => {
    await using model = await scriptedServer(forever(finish));
    const url = await freshUrl();
    await using group = await replicaGroup(url, 3);
    const [one, two, three] = group.replicas;
    if (!one || !two || !three) throw new Error('A replica is missing.');
    const { id } = await one.json<ConversationInfo>(
      'POST',
      '/conversations',
      conversation(model, group.directory, 'First.'),
    );
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

  test('forward what an owner may do, and answer for the conversation of another one as for an unknown one', async () => {
    await using model = await scriptedServer(forever({ text: 'Hi.' }));
    const env = {
      VARVE_SCOPED_KEYS: JSON.stringify(
        ['alice', 'bob'].map((owner) => ({ key: `key-of-${owner}`, owner, scopes: ['read', 'run'] })),
      ),
    };
    await using group = await replicaGroup(await freshUrl(), 2, { env });
    const [one, two] = group.replicas;
    if (!one || !two) throw new Error('A replica is missing.');
    const created = await sendAs(one.url, 'alice', '', conversation(model, '.', 'First.'));
    await until(group, created.json.id ?? '', 'finished');
    const events = `/${created.json.id}/events`;
    expect((await sendAs(two.url, 'alice', events, messageOf('Second.'))).status).toBe(200);
    await expect.poll(() => model.requests.length).toBe(2);
    for (const { url } of [one, two])
      expect(await sendAs(url, 'bob', events, messageOf('No.'))).toEqual({
        status: 404,
        json: { detail: 'Not Found' },
      });
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

  test('send a webhook what one of them has not sent when it is killed', async () => {
    const { promise: asked, resolve: ask } = Promise.withResolvers<void>();
    let isUp = false;
    const receiver = await webhookReceiver(() => (isUp ? 200 : 500));
    const webhooks = [{ base_url: receiver.url, event_buffer_size: 1, num_retries: 0, flush_delay: 0 }];
    const reply = (): ScriptedTurn => {
      ask();
      return isUp ? finish : { fault: { kind: 'hang', afterPieces: 0 } };
    };
    await using model = await scriptedServer(forever(reply));
    await using group = await replicaGroup(await freshUrl(), 2, { env: { OH_WEBHOOKS: JSON.stringify(webhooks) } });
    const [one, two] = group.replicas;
    if (!one || !two) throw new Error('A replica is missing.');
    const body = conversation(model, group.directory, 'Run.');
    const { id } = await one.json<ConversationInfo>('POST', '/conversations', body);
    await asked;
    await one.kill();
    isUp = true;
    await until(group, id, 'finished');
    const path = `/conversations/${id}/events/search?limit=100`;
    const stored = async () => (await two.json<{ readonly items: readonly Stored[] }>('GET', path)).items;
    await receiver.untilArrived(async () => (await stored()).map((event) => event.id));
  });
});

/** Sends a request with the key of an owner. */
async function sendAs(at: string, owner: string, path: string, body: object) {
  const headers = { 'X-Session-API-Key': `key-of-${owner}`, 'content-type': 'application/json' };
  const init = { method: 'POST', headers, body: JSON.stringify(body) };
  const response = await fetch(`${at}/api/conversations${path}`, init);
  return { status: response.status, json: (await response.json()) as { readonly id?: string } };
}
