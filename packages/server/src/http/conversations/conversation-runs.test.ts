import type { ModelWrapper } from '@varve/llm';
import type { ScriptedTurn } from '@varve/llm/testing';
import { ActionEvent, MessageEvent, ObservationEvent, UserRejectObservation } from '@varve/events/kinds';
import { canonicalId } from '@varve/storage';
import { expect, test } from 'vitest';
import type { ConversationInfo } from '../../reference/info/conversation-info.ts';
import { ended, message, requestFor, runningServer } from '../../../test/support/running-server.ts';

const finish: ScriptedTurn = { calls: [{ name: 'finish', arguments: { message: 'It is done.' } }] };
const command = (text: string): ScriptedTurn => ({ calls: [{ name: 'terminal', arguments: { command: text } }] });

test('a conversation with an initial message runs after the response, and keeps its answer', async () => {
  await using running = await runningServer([finish]);
  const info = await running.create({ initial_message: message('Do it.'), tags: { team: 'a' } });
  expect(info).toMatchObject({
    execution_status: 'idle',
    title: 'Do it.',
    tags: { team: 'a' },
    max_iterations: 500,
    agent: { llm: { model: 'openai/scripted', api_key: null }, kind: 'Agent' },
  });
  expect(info.last_user_message_id).not.toBeNull();
  await running.status(info.id, ['finished']);
  const after = await running.json<ConversationInfo>(200, 'GET', `/${info.id}`);
  expect(after.execution_status).toBe('finished');
  expect(await running.json(200, 'GET', `/${info.id}/agent_final_response`)).toEqual({ response: 'It is done.' });
  const [request] = running.model.requests;
  expect(request?.headers['authorization']).toBe('Bearer sk-of-the-test');
  expect(request?.request?.tools.map(({ name }) => name)).toEqual([
    'terminal',
    'file_editor',
    'task_tracker',
    'finish',
    'think',
  ]);
});

test('creating an id that exists returns it unchanged', async () => {
  await using running = await runningServer([]);
  const conversation_id = '0123456789abcdef0123456789abcdef';
  const body = { ...requestFor(running.model, running.workspace), conversation_id };
  const created = await running.json<ConversationInfo>(201, 'POST', '', body);
  expect(created.id).toBe('01234567-89ab-cdef-0123-456789abcdef');
  const again = await running.json<ConversationInfo>(200, 'POST', '', {
    ...body,
    tags: { other: 'b' },
    initial_message: message('Ignored.'),
  });
  expect(again).toEqual(created);
});

test('a conversation is created under a name of a person, and not under one of a route', async () => {
  await using running = await runningServer([finish]);
  const body = requestFor(running.model, running.workspace);
  const created = await running.json<ConversationInfo>(201, 'POST', '', { ...body, conversation_id: 'large-refactor' });
  expect(created.id).toBe('large-refactor');
  await running.json(200, 'POST', '/large-refactor/events', { ...message('Do it.'), run: true });
  await running.status('large-refactor', ['finished']);
  for (const id of ['search', 'a/b', '']) await running.json(422, 'POST', '', { ...body, conversation_id: id });
});

test('messages, runs, and a second run while one is active', async () => {
  const gate = Promise.withResolvers<void>();
  await using running = await runningServer([{ ...finish, gate: gate.promise }, { text: 'Hello again.' }]);
  const { id } = await running.create();
  expect((await running.send('POST', `/${id}/run`)).status).toBe(400);
  await running.json(200, 'POST', `/${id}/events`, message('One.'));
  expect(running.model.requests).toHaveLength(0);
  await running.json(200, 'POST', `/${id}/run`);
  expect((await running.json<ConversationInfo>(200, 'GET', `/${id}`)).execution_status).toBe('running');
  const refused = await running.json(409, 'POST', `/${id}/run`);
  expect(refused['detail']).toMatch(/^Conversation already running/);
  gate.resolve();
  await running.status(id, ['finished']);
  await running.json(200, 'POST', `/${id}/events`, message('Two.', true));
  await running.status(id, ['finished'], 2);
  expect(await running.json(200, 'GET', `/${id}/agent_final_response`)).toEqual({ response: 'Hello again.' });
});

test('a message that wants an answer is answered by the active run', async () => {
  const gate = Promise.withResolvers<void>();
  await using running = await runningServer([{ ...finish, gate: gate.promise }, finish]);
  const { id } = await running.create({ initial_message: message('One.') });
  await running.json(200, 'POST', `/${id}/events`, message('Two.', true));
  gate.resolve();
  await running.status(id, ['finished']);
  expect(running.model.requests).toHaveLength(2);
  expect(running.model.requests[1]?.text).toContain('Two.');
});

test('calls wait for approval; accepting runs them, rejecting answers them', async () => {
  await using running = await runningServer([command('echo one > a'), command('echo two > b'), finish]);
  const { id } = await running.create({
    confirmation_policy: { kind: 'AlwaysConfirm' },
    initial_message: message('Write.'),
  });
  await running.status(id, ['waiting_for_confirmation']);
  await running.json(200, 'POST', `/${id}/events/respond_to_confirmation`, { accept: true });
  await running.status(id, ['waiting_for_confirmation'], 2);
  await running.json(200, 'POST', `/${id}/events/respond_to_confirmation`, { accept: false, reason: 'Not b.' });
  const events = await running.events(id);
  expect(events.filter((event) => ActionEvent.is(event))).toHaveLength(2);
  expect(events.find((event) => UserRejectObservation.is(event))).toMatchObject({ rejection_reason: 'Not b.' });
  expect((await running.json<ConversationInfo>(200, 'GET', `/${id}`)).execution_status).toBe('idle');
  await running.json(200, 'POST', `/${id}/run`);
  await running.status(id, ['finished']);
  // Without calls that wait, both are accepted and change nothing.
  for (const accept of [true, false]) {
    await running.json(200, 'POST', `/${id}/events/respond_to_confirmation`, { accept });
  }
  expect(running.model.requests).toHaveLength(3);
});

test('a call that is accepted with other arguments runs with these, and the model reads both', async () => {
  await using running = await runningServer([command('echo $((40+1))'), finish]);
  const { id } = await running.create({
    confirmation_policy: { kind: 'AlwaysConfirm' },
    initial_message: message('Count.'),
  });
  await running.status(id, ['waiting_for_confirmation']);
  const action = (await running.events(id)).find((event) => ActionEvent.is(event));
  const decide = async (status: number, decision: object) =>
    running.json(status, 'POST', `/${id}/events/respond_to_confirmation`, decision);
  const accept = async (status: number, changed: object) =>
    decide(status, { accept: true, action_ids: [action?.id], arguments: changed });
  await accept(400, { command: 1 });
  await decide(400, { accept: false, arguments: { command: 'pwd' }, action_ids: [action?.id] });
  await decide(400, { accept: true, arguments: { command: 'pwd' } });
  await accept(200, { command: 'echo $((40+2))' });
  await running.status(id, ['finished']);
  const rejection = (await running.events(id)).find((event) => UserRejectObservation.is(event));
  expect(rejection?.rejection_reason).toMatch(/"echo \$\(\(40\+2\)\)"[^]*\n42\n/);
  expect(running.model.requests[1]?.text).toContain('42');
  await decide(400, { accept: true, arguments: { command: 'pwd' } });
});

test('the result of a call that completes later is stored once, and answered by a run', async () => {
  const deploy: ScriptedTurn = { calls: [{ name: 'deploy', arguments: {} }] };
  await using running = await runningServer([deploy, finish, { text: 'It is live.' }]);
  const { id } = await running.create({
    client_tools: [{ name: 'deploy', description: 'Deploys.' }],
    confirmation_policy: { kind: 'NeverConfirm' },
    initial_message: message('Deploy.'),
  });
  await running.status(id, ['finished']);
  const call = (await running.events(id)).find((event) => ActionEvent.is(event));
  const complete = (status: number, action_id = call?.id, result = 'Version 7 is live.') =>
    running.json(status, 'POST', `/${id}/events/complete_call`, { action_id, result });
  await complete(200);
  await running.status(id, ['finished'], 2);
  await complete(200);
  await complete(400, 'unknown');
  await complete(400, call?.id, ' ');
  expect(await running.json(200, 'GET', `/${id}/agent_final_response`)).toEqual({ response: 'It is live.' });
  expect(running.model.requests).toHaveLength(3);
  expect(running.model.requests[2]?.text.split('Version 7 is live.')).toHaveLength(2);
});

test('a decision with ids is about these calls only, however late, often or elsewhere it arrives', async () => {
  const both: ScriptedTurn = {
    calls: ['a', 'b'].map((name) => ({ name: 'terminal', arguments: { command: `: ${name}` } })),
  };
  await using running = await runningServer([both, command(': c'), finish, command(': d'), finish]);
  const asked = { confirmation_policy: { kind: 'AlwaysConfirm' }, initial_message: message('Go.') };
  const [one, other] = [
    await running.create(asked),
    await running.create({ confirmation_policy: asked.confirmation_policy }),
  ];
  const decide = async (status: number, id: string, accept: boolean, action_ids: readonly (string | undefined)[]) =>
    running.json(status, 'POST', `/${id}/events/respond_to_confirmation`, { accept, action_ids });
  const actions = async (id: string): Promise<readonly string[]> =>
    (await running.events(id)).flatMap((event) => (ActionEvent.is(event) ? [event.id] : []));
  await running.status(one.id, ['waiting_for_confirmation']);
  const [a, b] = await actions(one.id);
  for (const ids of [[a, 'x'], ['x'], [a, b, 'x']]) await decide(409, one.id, true, ids);
  for (const accept of [true, false]) await decide(409, other.id, accept, [a]);
  await decide(422, one.id, true, []);
  await decide(200, one.id, true, [a]);
  await running.status(one.id, ['waiting_for_confirmation'], 2);
  for (const accept of [true, false]) await decide(409, one.id, accept, [a]);
  await decide(200, one.id, false, [b]);
  for (const accept of [true, false]) await decide(409, one.id, accept, [b]);
  await running.json(200, 'POST', `/${one.id}/run`);
  await running.status(one.id, ['waiting_for_confirmation'], 3);
  for (const ids of [[a], [b], [a, b]]) await decide(409, one.id, true, ids);
  const results = (await running.events(one.id)).flatMap((event) =>
    ObservationEvent.is(event) || UserRejectObservation.is(event) ? [[event.kind, event.action_id]] : [],
  );
  expect(results).toEqual([
    ['ObservationEvent', a],
    ['UserRejectObservation', b],
  ]);
});

test('an interrupt cancels the model call; a pause ends the run after its step', async () => {
  const { promise: asked, resolve: ask } = Promise.withResolvers<void>();
  const hang = (): ScriptedTurn => {
    ask();
    return { fault: { kind: 'hang', afterPieces: 0 } };
  };
  await using running = await runningServer([hang, command('true'), finish]);
  const { id } = await running.create({ initial_message: message('Go.') });
  await asked;
  await running.json(200, 'POST', `/${id}/interrupt`);
  expect((await running.json<ConversationInfo>(200, 'GET', `/${id}`)).execution_status).toBe('paused');
  await running.json(200, 'POST', `/${id}/run`);
  await running.json(200, 'POST', `/${id}/pause`);
  await running.status(id, ['paused'], 2);
  await running.json(200, 'POST', `/${id}/run`);
  await running.status(id, ['finished']);
  const kinds = (await running.events(id)).map(({ kind }) => kind);
  expect(kinds).toContain('InterruptEvent');
  expect(kinds).toContain('PauseEvent');
});

test('runs beyond the limit wait in order, and a waiting run can be paused', async () => {
  const gate = Promise.withResolvers<void>();
  await using running = await runningServer([{ ...finish, gate: gate.promise }, finish], { maxRuns: 1 });
  const [first, second, third] = [await running.create(), await running.create(), await running.create()];
  for (const { id } of [first, second, third]) {
    await running.json(200, 'POST', `/${id}/events`, message('Go.', true));
    expect((await running.json<ConversationInfo>(200, 'GET', `/${id}`)).execution_status).toBe('running');
  }
  await running.json(200, 'POST', `/${second.id}/pause`);
  expect((await running.json<ConversationInfo>(200, 'GET', `/${second.id}`)).execution_status).toBe('paused');
  gate.resolve();
  await running.status(first.id, ['finished']);
  await running.status(third.id, ['finished']);
  expect(running.model.requests).toHaveLength(2);
});

test('while too many runs wait, what wants another one is refused and stores nothing', async () => {
  const gate = Promise.withResolvers<void>();
  const options = { maxRuns: 1, maxWaiting: 1 };
  await using running = await runningServer([{ ...finish, gate: gate.promise }, finish, finish], options);
  const [first, second, third] = [await running.create(), await running.create(), await running.create()];
  for (const { id } of [first, second]) await running.json(200, 'POST', `/${id}/events`, message('Go.', true));
  const { head } = await running.store.summary(canonicalId(third.id));
  const created = { ...requestFor(running.model, running.workspace), initial_message: message('Go.') };
  for (const [path, body] of [
    [`/${third.id}/events`, message('Go.', true)],
    [`/${third.id}/goal`, { objective: 'Pursue.' }],
    ['', created],
  ] as const) {
    const response = await running.send('POST', path, body);
    expect([response.status, response.headers.get('retry-after')]).toEqual([429, '5']);
    expect(await response.json()).toEqual({ detail: '1 runs wait for their turn.' });
  }
  expect((await running.store.summary(canonicalId(third.id))).head).toBe(head);
  expect(await running.store.count()).toBe(3);
  // These want no other run.
  await running.json(200, 'POST', `/${third.id}/events`, message('Later.'));
  await running.json(200, 'POST', `/${first.id}/events`, message('And this.', true));
  gate.resolve();
  await running.status(second.id, ['finished']);
  await running.json(200, 'POST', `/${third.id}/run`);
});

test('a failure of the model is an event, and the next run continues', async () => {
  await using running = await runningServer([{ error: { code: 'unauthenticated' } }, finish]);
  const { id } = await running.create({ initial_message: message('Go.') });
  expect(await running.status(id, ended)).toBe('error');
  expect((await running.events(id)).map(({ kind }) => kind)).toContain('ConversationErrorEvent');
  await running.json(200, 'POST', `/${id}/run`);
  await running.status(id, ['finished']);
});

test('a model that cannot be called is accepted, and fails when it runs', async () => {
  await using running = await runningServer([]);
  const { id } = await running.create({
    agent: { llm: { model: 'dummy/model' } },
    initial_message: message('Go.'),
  });
  expect(await running.status(id, ended)).toBe('error');
});

test('title and tags change, and a removed conversation is gone', async () => {
  await using running = await runningServer([{ fault: { kind: 'hang', afterPieces: 0 } }]);
  const { id } = await running.create({ initial_message: message('Go.') });
  await running.status(id, ['running']);
  expect(await running.json(200, 'PATCH', `/${id}`, { title: '  New  ', tags: { a: 'b' } })).toEqual({ success: true });
  expect(await running.json(200, 'GET', `/${id}`)).toMatchObject({ title: 'New', tags: { a: 'b' } });
  expect(await running.json(200, 'PATCH', '/00000000-0000-0000-0000-000000000000', {})).toEqual({ success: false });
  expect(await running.json(200, 'DELETE', `/${id}`)).toEqual({ success: true });
  for (const [method, path, body] of [
    ['GET', '', undefined],
    ['DELETE', '', undefined],
    ['POST', '/run', undefined],
    ['POST', '/pause', undefined],
    ['POST', '/interrupt', undefined],
    ['POST', '/events', message('x')],
    ['GET', '/agent_final_response', undefined],
  ] as const) {
    expect((await running.send(method, `/${id}${path}`, body)).status, path).toBe(404);
  }
});

test('keys and secrets are in no answer and no event', async () => {
  const secret = 'token-0123456789';
  await using running = await runningServer([command('echo "$MY_TOKEN"'), finish]);
  const info = await running.create({
    secrets: { MY_TOKEN: { kind: 'StaticSecret', value: secret, description: 'A token.' } },
    initial_message: message('Print it.'),
  });
  await running.status(info.id, ['finished']);
  const events = await running.events(info.id);
  const texts = [info, await running.json(200, 'GET', `/${info.id}`), events].map((part) => JSON.stringify(part));
  for (const text of texts) {
    expect(text).not.toContain(secret);
    expect(text).not.toContain('sk-of-the-test');
  }
  // The command received the value.
  expect(texts[2]).toContain('<secret-hidden>');
  expect(events.filter((event) => MessageEvent.is(event))).toHaveLength(1);
});

test.for<readonly [string, Record<string, unknown>, number]>([
  ['no agent', { agent: undefined }, 422],
  ['two agents and a profile', { agent_profile_id: '00000000-0000-0000-0000-000000000000' }, 422],
  ['an unknown profile', { agent: undefined, agent_profile_id: '00000000-0000-0000-0000-000000000000' }, 404],
  ['an unknown tool', { agent: { llm: { model: 'm' }, tools: [{ name: 'nope' }] } }, 422],
  ['another kind of agent', { agent: { kind: 'ACPAgent', llm: { model: 'm' } } }, 422],
  ['an unknown policy', { confirmation_policy: { kind: 'Nope' } }, 422],
  ['a bad tag', { tags: { 'A B': 'x' } }, 422],
  ['a bad secret', { secrets: { A: 5 } }, 422],
  ['no iterations', { max_iterations: 0 }, 422],
  ['an unknown parent', { parent_conversation_id: '00000000-0000-0000-0000-000000000000' }, 422],
  ['a workspace that is a file', { workspace: { working_dir: '/dev/null/x' } }, 422],
  ['a bad hook', { hook_config: { pre_tool_use: 'x' } }, 422],
  ['a bad client tool', { client_tools: [{ name: 'a b', description: '' }] }, 422],
])('a request with %s is refused', async ([, body, status]) => {
  await using running = await runningServer([]);
  const response = await running.send('POST', '', { ...requestFor(running.model, running.workspace), ...body });
  expect([response.status, await response.text()]).toEqual([status, expect.stringContaining('detail')]);
  expect((await running.store.list()).items).toEqual([]);
});

test('the models of agents are wrapped as the server was asked to, for instance with traces', async () => {
  const calls: string[] = [];
  const wrapModel: ModelWrapper = (model) => ({
    ...model,
    capabilities: model.capabilities,
    async generate(request, options) {
      calls.push(model.name);
      return model.generate(request, options);
    },
  });
  await using running = await runningServer([finish], { wrapModel });
  const { id } = await running.create({ initial_message: message('Go.') });
  expect(await running.status(id, ended)).toBe('finished');
  expect(calls).toEqual([expect.stringContaining('scripted')]);
});
