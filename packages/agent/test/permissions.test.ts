import { expect, test } from 'vitest';
import { eventCodec, textOf } from '@varve/events';
import { builtinKinds, UserRejectObservation } from '@varve/events/kinds';
import { TerminalAction, TerminalObservation } from '@varve/events/payloads';
import { scriptedModel, type ScriptedTurn } from '@varve/llm/testing';
import { memoryStore, type EventStore } from '@varve/storage';
import { defineBuiltinTool, finish, think } from '@varve/tools';
import { defineAgent, type AgentOptions } from '../src/agent/agent.ts';
import { alwaysConfirm, neverConfirm } from '../src/confirmation/policies.ts';
import type { ConfirmationPolicy } from '../src/confirmation/confirmation-policy.ts';
import { withRules } from '../src/confirmation/with-rules.ts';
import { Conversation } from '../src/conversation/conversation.ts';
import { readEvents } from '../src/log/read-log.ts';

const done: ScriptedTurn = { calls: [{ name: 'finish', arguments: { message: 'Done.' } }] };

function bash(...commands: readonly string[]): ScriptedTurn {
  return { calls: commands.map((command) => ({ name: 'terminal', arguments: { command } })) };
}

/** Returns an agent whose terminal records the commands and runs none. */
function recordingAgent(steps: readonly ScriptedTurn[], options: Partial<AgentOptions>) {
  const ran: string[] = [];
  const terminal = () =>
    defineBuiltinTool({
      name: 'terminal',
      description: 'Runs a command.',
      input: TerminalAction,
      output: TerminalObservation,
      definitionKind: 'TerminalTool',
      effect: 'write',
      execute: async ({ command }) => {
        ran.push(command);
        return TerminalObservation.create({ content: [], command, exit_code: 0 });
      },
    });
  const model = scriptedModel(steps);
  const agent = defineAgent({ model, tools: () => [terminal(), think(), finish()], ...options });
  return { agent, ran, model };
}

async function started(
  steps: readonly ScriptedTurn[],
  confirmation: ConfirmationPolicy,
  store: EventStore = memoryStore(),
) {
  const { agent, ran, model } = recordingAgent(steps, { confirmation });
  const conversation = await Conversation.create({ agent, store, workspace: process.cwd() });
  await conversation.send('Go.');
  return { conversation, ran, model, store, result: await conversation.run() };
}

const pushRule = { decision: 'deny', on: 'command', pattern: 'git push' } as const;
const pwdRule = { decision: 'allow', on: 'command', pattern: 'pwd' } as const;
const lsRule = { decision: 'allow', on: 'command', pattern: 'ls' } as const;

test('a denied call does not run, and the model reads the rule', async () => {
  const { conversation, ran, result, model, store } = await started(
    [bash('git push', 'ls'), done],
    withRules(neverConfirm(), [pushRule]),
  );
  expect(result.reason).toBe('finished');
  expect(ran).toEqual(['ls']);
  const stored = await Array.fromAsync(
    readEvents((await store.read(conversation.id)).range(0), eventCodec(builtinKinds)),
  );
  const rejections = stored.map(({ event }) => event).filter((event) => UserRejectObservation.is(event));
  expect(rejections.map(({ rejection_reason }) => rejection_reason)).toEqual([
    expect.stringContaining('deny command git push'),
  ]);
  const messages = model.requests[1]?.messages ?? [];
  expect(messages.map(({ content }) => textOf(content)).join('\n')).toContain('deny command git push');
});

test('an allowed call runs under a policy that asks about every call', async () => {
  const { ran, result } = await started([bash('ls -la'), bash('pwd')], withRules(alwaysConfirm(), [lsRule]));
  expect(result.reason).toBe('waiting');
  expect(ran).toEqual(['ls -la']);
});

test('a waiting call keeps the rule and the verdict that explain it', async () => {
  const rule = { decision: 'ask', on: 'command', pattern: 'npm' } as const;
  const { conversation } = await started([bash('npm test')], withRules(neverConfirm(), [rule]));
  expect(conversation.state.pending[0]?.review).toEqual({ asks: true, rule: 'ask command npm' });
});

test('the rules are stored, and apply when the conversation is resumed without a policy', async () => {
  const { conversation, store } = await started([done], withRules(neverConfirm(), [pushRule, lsRule]));
  const { id } = conversation;
  await conversation[Symbol.asyncDispose]();
  const { agent, ran } = recordingAgent([bash('git push'), done], {});
  await using resumed = await Conversation.open({ agent, store, id });
  await resumed.send('Go on.');
  expect((await resumed.run()).reason).toBe('finished');
  expect(ran).toEqual([]);
});

test('the rules of an agent replace the stored ones, under the stored policy', async () => {
  const { conversation, store } = await started([done], withRules(alwaysConfirm(), [lsRule]));
  const { id } = conversation;
  await conversation[Symbol.asyncDispose]();
  const { agent, ran } = recordingAgent([bash('git push'), bash('pwd'), bash('ls')], { rules: [pushRule, pwdRule] });
  await using resumed = await Conversation.open({ agent, store, id });
  await resumed.send('Go on.');
  expect((await resumed.run()).reason).toBe('waiting');
  expect(ran).toEqual(['pwd']);
});

test('rules hold without a policy, and for children of the conversation', async () => {
  const { agent, ran } = recordingAgent([bash('git push'), done], { rules: [pushRule] });
  await using parent = await Conversation.create({ agent, store: memoryStore(), workspace: process.cwd() });
  const { agent: childAgent, ran: ranInChild } = recordingAgent([bash('git push', 'ls'), done], {});
  await using child = await parent.child({ agent: childAgent });
  for (const conversation of [parent, child]) {
    await conversation.send('Go.');
    expect((await conversation.run()).reason).toBe('finished');
  }
  expect([ran, ranInChild]).toEqual([[], ['ls']]);
});

test('a call that was approved does not run when a later rule denies it', async () => {
  const { conversation, store } = await started([bash('git push')], alwaysConfirm());
  await conversation.approve();
  const { id } = conversation;
  await conversation[Symbol.asyncDispose]();
  const { agent, ran } = recordingAgent([done], { confirmation: withRules(alwaysConfirm(), [pushRule]) });
  await using resumed = await Conversation.open({ agent, store, id });
  await resumed.run();
  expect(ran).toEqual([]);
});

test.for([
  ['neverConfirm', neverConfirm()],
  ['an allow rule', withRules(neverConfirm(), [{ decision: 'allow', on: 'tool', pattern: 'terminal' }])],
] as const)('the agent does not change its configuration without a question: %s', async ([, policy]) => {
  const { conversation, ran, result } = await started([bash('echo x > .openhands/hooks.json'), done], policy);
  expect(result.reason).toBe('waiting');
  expect(ran).toEqual([]);
  expect(conversation.state.pending[0]?.review?.verdict?.reasons[0]).toMatchObject({
    risk: 'HIGH',
    rule: 'config.write',
  });
  await conversation.approve();
  expect((await conversation.run()).reason).toBe('finished');
  expect(ran).toEqual(['echo x > .openhands/hooks.json']);
});

test('files of the application are protected like the configuration', async () => {
  const { agent, ran } = recordingAgent([bash('cp x /data/home/trust.json')], { protectedPaths: ['/data/home'] });
  await using conversation = await Conversation.create({ agent, store: memoryStore(), workspace: process.cwd() });
  await conversation.send('Go.');
  expect((await conversation.run()).reason).toBe('waiting');
  expect(ran).toEqual([]);
});
