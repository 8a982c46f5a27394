import { expect, test } from 'vitest';
import { textOf } from '@varve/events';
import { MessageEvent } from '@varve/events/kinds';
import { discardAll, type Condenser } from '@varve/condensers';
import { scriptedModel, type ScriptedTurn } from '@varve/llm/testing';
import { memoryStore } from '@varve/storage';
import { finish } from '@varve/tools';
import { defineAgent } from '../src/agent/agent.ts';
import { Conversation } from '../src/conversation/conversation.ts';
import { defineSkill, type Skill } from '@varve/skills';

const id = '8'.repeat(32);
const git = defineSkill({
  name: 'git',
  content: 'Rebase, do not merge.',
  isListed: false,
  trigger: { type: 'keyword', keywords: ['git', '変更'] },
});
const pdf = defineSkill({ name: 'pdf', description: 'Reads <PDF> & forms.', content: 'Use pdftotext.' });
const repo = defineSkill({ name: 'repo', content: 'Tabs, not spaces.', isListed: false });

interface Setup {
  readonly skills: readonly Skill[];
  readonly steps?: readonly ScriptedTurn[];
  readonly condenser?: Condenser;
}

async function create({ skills, steps = [], ...options }: Setup) {
  const store = memoryStore();
  const model = scriptedModel(steps);
  const agent = defineAgent({ model, tools: () => [finish()], skills, ...options });
  const conversation = await Conversation.create({ agent, store, workspace: process.cwd(), id });
  return { conversation, store, agent, model };
}

const lastMessage = (conversation: Conversation): MessageEvent | undefined =>
  conversation.state.view.events.findLast((event) => MessageEvent.is(event) && event.source === 'user') as MessageEvent;

test('the system prompt has the text of skills that always apply, and names of those that the model may load', async () => {
  const hidden = { ...pdf, name: 'hidden', disableModelInvocation: true };
  const { conversation } = await create({ skills: [git, pdf, repo, hidden] });
  await conversation.send('Hello.');
  const prompt = textOf(conversation.request().messages[0]?.content ?? []);
  expect(prompt).toContain('Tabs, not spaces.');
  expect(prompt).toContain('<name>pdf</name><description>Reads &lt;PDF&gt; &amp; forms.</description>');
  for (const absent of ['Rebase', 'pdftotext', 'hidden']) expect(prompt).not.toContain(absent);
  expect(conversation.request().tools?.map(({ name }) => name)).toEqual(['finish', 'invoke_skill']);
});

test.for([
  ['Use GIT, please.', ['git']],
  ['git', ['git']],
  ['digit legit gits', []],
  ['変更を', ['git']],
  ['digit git', ['git']],
] as const)('%j activates %j', async ([message, names]) => {
  const { conversation } = await create({ skills: [git] });
  await conversation.send(message);
  expect(lastMessage(conversation)?.activated_skills).toEqual(names);
  expect(lastMessage(conversation)?.extended_content.length).toBe(names.length);
});

test('a skill is activated once, also after a restart with another text', async () => {
  const { conversation, store, agent } = await create({ skills: [git] });
  await conversation.send('git');
  const before = JSON.stringify(conversation.request().messages);
  await conversation[Symbol.asyncDispose]();
  const changed = defineAgent({ ...agent, skills: [{ ...git, content: 'Other.' }] });
  await using opened = await Conversation.open({ agent: changed, store, id });
  expect(JSON.stringify(opened.request().messages)).toBe(before);
  await opened.send('git again');
  expect(lastMessage(opened)?.activated_skills).toEqual([]);
});

test('a skill whose text was forgotten is activated again', async () => {
  const steps = ['One.', 'Two.', 'Three.'].map((text) => ({ text }));
  const { conversation } = await create({ skills: [git], steps, condenser: discardAll() });
  for (const message of ['Hello.', 'git', 'And now?']) {
    await conversation.send(message);
    await conversation.run();
  }
  expect(await conversation.condense()).toBe(true);
  expect(JSON.stringify(conversation.request().messages)).not.toContain('Rebase');
  await conversation.send('git again');
  expect(lastMessage(conversation)?.activated_skills).toEqual(['git']);
});

const call = (name: string) => ({ name: 'invoke_skill', arguments: { name } });

test('the model loads a skill with its files, and an unknown name is an error with the names', async () => {
  const path = '/skills/pdf/SKILL.md';
  const { conversation, model } = await create({
    skills: [{ ...pdf, path, resources: ['references/forms.md'], trigger: { type: 'keyword', keywords: ['form'] } }],
    steps: [{ calls: [call('pdf'), call('csv')] }, { text: 'Done.' }],
  });
  await conversation.send('Go.');
  await conversation.run();
  const results = model.requests[1]?.messages
    .filter(({ role }) => role === 'tool')
    .map(({ content }) => textOf(content));
  expect(results?.[0]).toMatch(/Use pdftotext[^]*in \/skills\/pdf:\n- references\/forms\.md/);
  expect(results?.[1]).toContain('There is no skill csv. The skills are: pdf.');
  await conversation.send('Fill the form.');
  expect(lastMessage(conversation)?.activated_skills).toEqual([]);
});

test('commands of a trusted skill are replaced by their output, those of another one do not run', async () => {
  const content = 'Now: !`echo $((40 + 2))`, !`echo no >&2; exit 3`.';
  const trigger = { type: 'task', triggers: ['/now'] } as const;
  const skills = [true, false].map((isTrusted) =>
    defineSkill({ name: `now-${isTrusted}`, content, trigger, isTrusted }),
  );
  const { conversation } = await create({ skills });
  await conversation.send('/now');
  const texts = lastMessage(conversation)?.extended_content.map((block) => block.text);
  expect(texts?.[0]).toMatch(/Now: 42, \(echo no >&2; exit 3 exited with 3: no\)\./);
  expect(texts?.[1]).toContain('Now: (not executed: echo $((40 + 2))), (not executed:');
});

test('inputs of a task are named', async () => {
  const inputs = [{ name: 'branch', description: 'The branch.' }];
  const ship = defineSkill({
    name: 'ship',
    content: 'Ship ${branch}.',
    inputs,
    trigger: { type: 'task', triggers: ['/ship'] },
  });
  const { conversation } = await create({ skills: [ship] });
  await conversation.send('/ship it');
  expect(textOf(lastMessage(conversation)?.extended_content ?? [])).toContain('- branch: The branch.');
});

test('an agent with two skills of one name is refused', () => {
  expect(() => defineAgent({ model: scriptedModel([]), tools: () => [], skills: [git, git] })).toThrow('called git');
});
