import { readFile } from 'node:fs/promises';
import { join } from 'node:path';
import type { Json } from '@varve/events';
import { ObservationEvent } from '@varve/events/kinds';
import type { ScriptedTurn } from '@varve/llm/testing';
import { expect, test } from 'vitest';
import { personServer } from '../../../test/support/person-server.ts';
import { message, runningServer, type RunningServer } from '../../../test/support/running-server.ts';

const dangerous = 'git push';
const risk = (rating: string): ScriptedTurn => ({
  calls: [{ name: 'terminal', arguments: { command: dangerous, security_risk: rating } }],
});
const done: ScriptedTurn = { calls: [{ name: 'finish', arguments: { message: 'Done.' } }] };

/** Runs a dangerous command in a new conversation, and returns how it ended and whether the command ran. */
async function outcome(running: RunningServer, body: Readonly<Record<string, unknown>>) {
  const { id } = await running.create({ initial_message: message('Go.'), ...body });
  const status = await running.status(id, ['finished', 'error', 'waiting_for_confirmation']);
  const results = (await running.events(id)).filter(
    (event) => ObservationEvent.is(event) && event.tool_name === 'terminal',
  );
  return [status, results.length];
}

const unset = { confirmation_policy: undefined };
const waiting = ['waiting_for_confirmation', 0];

test.for([undefined, null])('without settings, a request with the policy %s asks', async (policy) => {
  await using running = await runningServer([risk('LOW'), done]);
  expect(await outcome(running, { confirmation_policy: policy })).toEqual(waiting);
});

test.for([
  [{}, waiting],
  [{ confirmation: { policy: 'auto' } }, waiting],
  [{ confirmation: { policy: 'ask' } }, waiting],
  [{ confirmation: { policy: 'never' } }, ['finished', 1]],
] as const)('with the settings %j, a request without a policy ends as %j', async ([settings, end]) => {
  const person = await personServer([risk('LOW'), done]);
  person.write('userHome', '.varve/config.json', settings);
  expect(await outcome(person, unset)).toEqual(end);
});

test('an agent profile has its policy in conversations that are launched from it, and in no other', async () => {
  const person = await personServer([risk('LOW'), risk('LOW'), done]);
  const id = '00000000-0000-0000-0000-00000000000a';
  const varve = { confirmation: { policy: 'ask' } };
  const llm = { model: 'openai/scripted', base_url: person.model.url };
  person.write('userHome', '.varve/config.json', { llm, agent_profile: 'mine', confirmation: { policy: 'never' } });
  person.write('userHome', '.varve/agent-profiles/mine.json', { id, name: 'mine', agent_kind: 'openhands', varve });
  expect(await outcome(person, { ...unset, agent: undefined, agent_profile_id: id })).toEqual(waiting);
  expect(await outcome(person, unset)).toEqual(['finished', 1]);
});

test('a request may name another policy', async () => {
  const person = await personServer([risk('HIGH'), done]);
  expect(await outcome(person, { confirmation_policy: { kind: 'NeverConfirm' } })).toEqual(['finished', 1]);
});

test('a model that rates everything LOW does not decide alone, also when a client sends only its analyzer', async () => {
  await using running = await runningServer([risk('LOW'), done]);
  const body: Readonly<Record<string, Json>> = {
    confirmation_policy: { kind: 'ConfirmRisky', threshold: 'HIGH', confirm_unknown: true },
    security_analyzer: { kind: 'LLMSecurityAnalyzer' },
  };
  expect(await outcome(running, body)).toEqual(waiting);
});

test('a client sees what is asked about, and changes the setting of the command', async () => {
  const person = await personServer([]);
  const settingsOf = async () => (await person.call('GET', '/api/settings'))['conversation_settings'];
  const change = (conversation_settings_diff: Json) =>
    person.call('PATCH', '/api/settings', { conversation_settings_diff });
  const policy = async () => {
    const file = await readFile(join(person.home, 'config.json'), 'utf8');
    return (JSON.parse(file) as { readonly confirmation?: { readonly policy?: string } }).confirmation?.policy;
  };
  expect(await settingsOf()).toMatchObject({ confirmation_mode: true, security_analyzer: 'llm' });
  await change({ max_iterations: 9 });
  expect(await policy()).toBeUndefined();
  await change({ confirmation_mode: false });
  expect([await settingsOf(), await policy()]).toEqual([
    expect.objectContaining({ confirmation_mode: false }),
    'never',
  ]);
  await change({ confirmation_mode: true, security_analyzer: 'none' });
  expect([await settingsOf(), await policy()]).toEqual([
    expect.objectContaining({ confirmation_mode: true, security_analyzer: 'none', max_iterations: 9 }),
    'ask',
  ]);
  await change({ security_analyzer: 'llm' });
  expect([await settingsOf(), await policy()]).toEqual([
    expect.objectContaining({ confirmation_mode: true, security_analyzer: 'llm' }),
    'auto',
  ]);
});
