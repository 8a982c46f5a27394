import { mkdtempSync, readdirSync, rmSync } from 'node:fs';
import { tmpdir } from 'node:os';
import { join } from 'node:path';
import type { ScriptedTurn } from '@varve/llm/testing';
import { memoryStore } from '@varve/storage';
import { wrapStore } from '@varve/storage/kit';
import { expect, onTestFinished, test } from 'vitest';
import type { ConversationInfo } from '../reference/info/conversation-info.ts';
import { message, requestFor, runningServer, type RunningServer } from '../../test/support/running-server.ts';

const finish: ScriptedTurn = { calls: [{ name: 'finish', arguments: { message: 'Done.' } }] };
const names = ['A_TOKEN', 'B_TOKEN', 'C_TOKEN', 'D_TOKEN'];
const analyzer = { kind: 'LLMSecurityAnalyzer' };
const policy = { kind: 'AlwaysConfirm' };

function newDirectory(): string {
  const directory = mkdtempSync(join(tmpdir(), 'varve-changes-'));
  onTestFinished(() => rmSync(directory, { recursive: true, force: true }));
  return directory;
}

/** Changes by their paths; each must remain, whatever is changed at the same time. */
function changesWith(llm: object): readonly (readonly [path: string, body: object])[] {
  return [
    ...names.map((name) => ['/secrets', { secrets: { [name]: `value-of-${name}` } }] as const),
    ['/confirmation_policy', { policy }],
    ['/security_analyzer', { security_analyzer: analyzer }],
    ['/switch_llm', { llm: { ...llm, model: 'openai/other', usage_id: 'other' } }],
  ];
}

const printed = `echo ${names.map((name) => `$${name}`).join(' ')} | tr a-z A-Z`;
const script: readonly ScriptedTurn[] = [{ calls: [{ name: 'terminal', arguments: { command: printed } }] }, finish];

/** Checks that the next server has all changes. */
async function expectAllChanges(id: string, { store }: RunningServer, home: string): Promise<void> {
  await using next = await runningServer([], { store, home });
  expect(await next.json<ConversationInfo>(200, 'GET', `/${id}`)).toMatchObject({
    confirmation_policy: policy,
    security_analyzer: analyzer,
    agent: { llm: { model: 'openai/other' } },
  });
  await next.json(200, 'POST', `/${id}/events`, message('Go.', true));
  await next.status(id, ['waiting_for_confirmation']);
  await next.json(200, 'POST', `/${id}/events/respond_to_confirmation`, { accept: true });
  await next.status(id, ['finished', 'waiting_for_confirmation'], 2);
  const output = JSON.stringify(await next.events(id));
  for (const name of names) expect(output).toContain(`VALUE-OF-${name}`);
}

test.for([0, 1, 2, 3, 4, 5, 6])('concurrent changes are all kept, also after a restart: %i first', async (first) => {
  const home = newDirectory();
  await using running = await runningServer(script, { home });
  const { agent } = requestFor(running.model, running.workspace);
  const { id } = await running.create({ agent: { ...agent, tools: [{ name: 'terminal' }] } });
  const changes = changesWith(agent.llm);
  const order = [...changes.slice(first), ...changes.slice(0, first)];
  await Promise.all(order.map(([path, body]) => running.json(200, 'POST', `/${id}${path}`, body)));
  await running.server[Symbol.asyncDispose]();
  await expectAllChanges(id, running, home);
});

test.for([0, 1, 2, 3, 4, 5, 6])(
  'changes of two servers are all kept: %i by the first, while the next opens',
  async (count) => {
    const home = newDirectory();
    const store = memoryStore();
    await using first = await runningServer(script, { store, home });
    const { agent } = requestFor(first.model, first.workspace);
    const { id } = await first.create({ agent: { ...agent, tools: [{ name: 'terminal' }] } });
    // The analyzer first, and the policy last.
    const all = changesWith(agent.llm);
    const changes = [...all.slice(5), ...all.slice(0, 5)];
    let isOpened = false;
    const opened = wrapStore(store, {
      async open(...args) {
        if (!isOpened) {
          isOpened = true;
          for (const [path, body] of changes.slice(0, count)) await first.json(200, 'POST', `/${id}${path}`, body);
          await first.server[Symbol.asyncDispose]();
        }
        return store.open(...args);
      },
    });
    await using second = await runningServer([], { store: opened, home });
    for (const [path, body] of changes.slice(count)) await second.json(200, 'POST', `/${id}${path}`, body);
    await second.server[Symbol.asyncDispose]();
    await expectAllChanges(id, second, home);
  },
);

test('a run that is requested while the view is condensed starts afterwards, and a pause keeps it from starting', async () => {
  const think: ScriptedTurn = { calls: [{ name: 'think', arguments: { thought: 'Hm.' } }] };
  const asked = Promise.withResolvers<void>();
  const gate = Promise.withResolvers<void>();
  const summary = (): ScriptedTurn => {
    asked.resolve();
    return { text: 'What happened.', gate: gate.promise };
  };
  await using running = await runningServer([think, think, think, think, finish, summary, finish, finish]);
  const { agent } = requestFor(running.model, running.workspace);
  const condenser = { kind: 'LLMSummarizingCondenser', llm: agent.llm, max_size: 20, keep_first: 1 };
  const { id } = await running.create({ agent: { ...agent, condenser }, initial_message: message('One.') });
  await running.status(id, ['finished']);
  const condensed = running.json(200, 'POST', `/${id}/condense`);
  await asked.promise;
  await running.json(200, 'POST', `/${id}/events`, message('Two.', true));
  await running.json(200, 'POST', `/${id}/pause`);
  await running.json(200, 'POST', `/${id}/run`);
  await running.json(409, 'POST', `/${id}/navigate`, { event_id: null });
  gate.resolve();
  await condensed;
  expect(await running.status(id, ['finished', 'error'], 2)).toBe('finished');
});

test('no private value is stored after a conversation was removed', async () => {
  const home = newDirectory();
  await using running = await runningServer([], { home });
  for (let round = 0; round < 12; round += 1) {
    const { id } = await running.create();
    const sent = Array.from({ length: 8 }, (_, index) =>
      running.send('POST', `/${id}/secrets`, { secrets: { [`TOKEN_${index}`]: 'value-of-it' } }),
    );
    for (let turn = 0; turn < 3 * round; turn += 1) await new Promise(setImmediate);
    await running.json(200, 'DELETE', `/${id}`);
    for (const { status } of await Promise.all(sent)) expect([200, 404, 503]).toContain(status);
  }
  expect(readdirSync(join(home, 'conversations'))).toEqual([]);
});
