import { mkdtemp, writeFile } from 'node:fs/promises';
import { tmpdir } from 'node:os';
import { join } from 'node:path';
import type { Agent } from '@varve/agent';
import type { Json } from '@varve/events';
import { openaiChat } from '@varve/llm';
import { redactor } from '@varve/text';
import { expect, test } from 'vitest';
import { resolveSettings, type FlagValue, type Settings } from '../layers/resolve-settings.ts';
import { agentFromSettings } from './agent-from-settings.ts';
import { resumedAgent, type ResumedAgent } from './resumed-agent.ts';

const setup = { home: '/nowhere', env: {}, keepsHistory: false };
const model = openaiChat({ model: 'm', baseUrl: 'http://127.0.0.1:9/v1' });
const context = { conversationId: 'c', mask: <T>(value: T): T => value, redactor: redactor([], { replacement: '' }) };

async function settingsOf(user: unknown, flags: readonly FlagValue[] = []): Promise<Settings> {
  const home = await mkdtemp(join(tmpdir(), 'varve-resumed-'));
  await writeFile(join(home, 'config.json'), JSON.stringify(user));
  return resolveSettings({ home, env: {}, flags });
}

async function specOf(user: unknown): Promise<Json> {
  const agent = agentFromSettings({ ...setup, settings: await settingsOf(user), model });
  return JSON.parse(JSON.stringify(agent.spec)) as Json;
}

async function resumed(spec: Json, user: unknown, flags: readonly FlagValue[] = []): Promise<ResumedAgent> {
  const settings = await settingsOf(user, flags);
  const current = agentFromSettings({ ...setup, settings, model, resumed: { policy: { kind: 'AlwaysConfirm' } } });
  return resumedAgent({ ...setup, settings, current, spec });
}

const toolsOf = ({ tools }: Agent): readonly string[] => tools(context).map(({ name }) => name);

const stored = {
  tools: { preset: 'planning', add: ['apply_patch'] },
  condenser: { kind: 'rolling-window', max_events: 40 },
  concurrency: 3,
  text_reply: 'wait',
  prompt: { suffix: 'Answer in French.' },
};

test('a stored agent keeps its tools, condenser, prompt and concurrency when the settings have changed', async () => {
  const { agent, problems } = await resumed(await specOf(stored), { concurrency: 1, tools: { preset: 'minimal' } });
  expect(problems).toEqual([]);
  expect(toolsOf(agent)).toEqual(['glob', 'grep', 'planning_file_editor', 'think', 'apply_patch', 'finish']);
  expect(agent).toMatchObject({ concurrency: 3, textReply: 'wait', condenser: { spec: { maxEvents: 40 } } });
  expect(agent.prompt.spec).toMatchObject({ preset: 'planning', suffix: 'Answer in French.' });
});

test('flags change a stored agent', async () => {
  const { agent } = await resumed(await specOf(stored), {}, [
    { key: 'tools.preset', value: 'minimal', flag: '--set' },
    { key: 'text_reply', value: 'continue', flag: '--set' },
  ]);
  expect(toolsOf(agent)).toEqual(['terminal', 'file_editor', 'finish']);
  expect(agent).toMatchObject({ concurrency: 3, textReply: 'continue' });
});

test('tools that are not there are named, and a spec that describes no agent is that of the settings', async () => {
  const spec = (await specOf(stored)) as Readonly<Record<string, Json>>;
  const { agent, problems } = await resumed(
    {
      ...spec,
      tools: [
        { name: 'browser', params: {} },
        { name: 'think', params: {} },
      ],
    },
    {},
  );
  expect([toolsOf(agent), problems]).toEqual([['think'], [expect.stringContaining('tools.0 (browser)')]]);
  for (const broken of [null, 'x', {}, { kind: 'Agent', model: { kind: 'scripted' }, tools: 7 }])
    expect(toolsOf((await resumed(broken, {})).agent)).toContain('task_tracker');
});

test('an agent of the reference is resumed with its tools', async () => {
  const spec = { llm: { model: 'openai/gpt-4o' }, tools: [{ name: 'terminal', params: {} }], kind: 'Agent' };
  expect(toolsOf((await resumed(spec, {})).agent)).toEqual(['terminal', 'finish', 'think']);
});
