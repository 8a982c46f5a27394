import { mkdirSync, mkdtempSync, readdirSync, realpathSync, rmSync, writeFileSync } from 'node:fs';
import { tmpdir } from 'node:os';
import { join } from 'node:path';
import { afterAll, expect, test } from 'vitest';
import { scriptedModel, type ScriptedTurn } from '@varve/llm/testing';
import { memoryStore, type EventStore } from '@varve/storage';
import { finish, terminal } from '@varve/tools';
import { defineAgent, type Agent } from '../src/agent/agent.ts';
import { alwaysConfirm, neverConfirm } from '../src/confirmation/policies.ts';
import type { ConfirmationPolicy } from '../src/confirmation/confirmation-policy.ts';
import { Conversation } from '../src/conversation/conversation.ts';
import { withRules } from '../src/confirmation/with-rules.ts';

const root = realpathSync(mkdtempSync(join(tmpdir(), 'varve-approved-')));
afterAll(() => rmSync(root, { recursive: true }));

let count = 0;
/** Creates a workspace with a directory of the same name as in its other directory. */
function newWorkspace(): string {
  const workspace = join(root, String((count += 1)));
  mkdirSync(join(workspace, 'sub', 'build'), { recursive: true });
  mkdirSync(join(workspace, 'build'));
  writeFileSync(join(workspace, 'move.sh'), 'cd sub\n');
  return workspace;
}

const remove = 'rm -r build';
const reply = (...calls: readonly (string | object)[]): ScriptedTurn => ({
  calls: calls.map((call) => ({
    name: 'terminal',
    arguments: typeof call === 'string' ? { command: call } : { ...call },
  })),
});
const done: ScriptedTurn = { calls: [{ name: 'finish', arguments: { message: 'Done.' } }] };

function agentOf(workspace: string, turns: readonly ScriptedTurn[], confirmation: ConfirmationPolicy): Agent {
  return defineAgent({
    model: scriptedModel([...turns, done]),
    tools: () => [terminal({ pty: false, inherit: { ...process.env, HOME: join(workspace, 'sub') } }), finish()],
    confirmation,
  });
}

async function newConversation(
  workspace: string,
  turns: readonly ScriptedTurn[],
  confirmation: ConfirmationPolicy,
  store: EventStore = memoryStore(),
) {
  const conversation = await Conversation.create({ agent: agentOf(workspace, turns, confirmation), store, workspace });
  await conversation.send('Go.');
  return conversation;
}

/** Runs until nothing waits, approves everything that does, and returns where it may start, as a person is shown. */
async function runApproved(conversation: Conversation): Promise<readonly string[]> {
  let visible: readonly string[] = [];
  while ((await conversation.run()).reason === 'waiting') {
    const directories = [...conversation.startDirectories().values()].at(-1) ?? [];
    visible = directories.length > 0 ? directories : ['.'];
    await conversation.approve();
  }
  return visible;
}

const isLeft = (workspace: string): readonly boolean[] =>
  ['.', 'sub'].map((place) => readdirSync(join(workspace, place)).includes('build'));

test.for([
  'cd sub',
  'cd "$(echo sub)"',
  'cd "$(echo sub)"; cd ..',
  'where=sub; cd $where',
  'where=$(echo sub); cd $where',
  'move() { cd sub; }; move',
  'eval "c""d su""b"',
  'eval "$(cat move.sh)"',
  '. ./move.sh',
  'pushd sub; pushd; popd',
  'cd sub; cd -',
  'CDPATH=$PWD/sub:; cd build; cd ..',
])('after %s in the same reply, an approved command runs only in a directory that was shown', async (move) => {
  const workspace = newWorkspace();
  await using conversation = await newConversation(workspace, [reply(move, remove)], alwaysConfirm());
  const visible = await runApproved(conversation);
  const [isHere, isInSub] = isLeft(workspace);
  expect([isHere || visible.includes('.'), isInSub || visible.includes('sub')]).toEqual([true, true]);
});

test.for([
  ['cd sub', [true, false]],
  ['cd missing', [false, true]],
  ['cd ~', [true, false]],
  ['cd sub; cd ..', [false, true]],
  ['true', [false, true]],
] as const)('after %s in the same reply, an approved command runs where the shell is', async ([move, left]) => {
  const workspace = newWorkspace();
  await using conversation = await newConversation(workspace, [reply(move, remove)], alwaysConfirm());
  await runApproved(conversation);
  expect(isLeft(workspace)).toEqual(left);
});

const rules = [{ decision: 'allow', on: 'command', pattern: remove }] as const;

test('a command that a rule allows does not run in a directory that the rule did not see', async () => {
  const workspace = newWorkspace();
  const policy = withRules(alwaysConfirm(), rules);
  await using conversation = await newConversation(workspace, [reply('. ./move.sh', remove)], policy);
  await conversation.run();
  const [move] = conversation.state.pending;
  await conversation.approve({ actionIds: [move?.event.id ?? ''] });
  await conversation.run();
  expect([conversation.state.pending, isLeft(workspace)]).toEqual([[], [true, true]]);
});

test('an approved command that a crash left does not run in a directory that was not shown', async () => {
  const workspace = newWorkspace();
  const store = memoryStore();
  const turns = [reply('cd "$(echo sub)"', remove)];
  const id = await (async () => {
    await using conversation = await newConversation(workspace, turns, alwaysConfirm(), store);
    await runApproved(conversation);
    return conversation.id;
  })();
  const crashed = memoryStore();
  {
    await using copy = await crashed.create(id, (await store.summary(id)).meta);
    for await (const stored of (await store.read(id)).range(0)) {
      await copy.append([stored]);
      if (stored.kind === 'ObservationEvent') break;
    }
  }
  await using conversation = await Conversation.open({
    agent: agentOf(workspace, [], alwaysConfirm()),
    store: crashed,
    id,
  });
  await conversation.run();
  expect(conversation.state.pending).toEqual([]);
  expect(isLeft(workspace)).toEqual([true, true]);
});

test('without a question, a command runs where the shell is', async () => {
  const workspace = newWorkspace();
  await using conversation = await newConversation(workspace, [reply('. ./move.sh', remove)], neverConfirm());
  await conversation.run();
  expect(isLeft(workspace)).toEqual([true, false]);
});
