import { mkdtemp, realpath, rm, writeFile } from 'node:fs/promises';
import { tmpdir } from 'node:os';
import { join } from 'node:path';
import { expect, onTestFinished, test } from 'vitest';
import { textOf } from '@varve/events';
import { scriptedModel, type ScriptedTurn } from '@varve/llm/testing';
import { memoryStore } from '@varve/storage';
import { fileEditor, finish, terminal } from '@varve/tools';
import { defineAgent } from '../src/agent/agent.ts';
import { Conversation } from '../src/conversation/conversation.ts';
import { defineSkill, skillsPrompt } from '@varve/skills';

const view =
  (path: string) =>
  (workspace: string): ScriptedTurn => ({
    calls: [{ name: 'file_editor', arguments: { command: 'view', path: `${workspace}/${path}` } }],
  });
const rule = defineSkill({
  name: 'typescript',
  content: 'Write no any.',
  disableModelInvocation: true,
  isListed: false,
  trigger: { type: 'path', paths: ['*.ts'] },
});

async function results(turns: readonly ((workspace: string) => ScriptedTurn)[]): Promise<readonly string[]> {
  const workspace = await realpath(await mkdtemp(join(tmpdir(), 'varve-rules-')));
  onTestFinished(() => rm(workspace, { recursive: true }));
  await writeFile(join(workspace, 'a.ts'), 'let a;');
  await writeFile(join(workspace, 'b.md'), 'B.');
  const agent = defineAgent({
    model: scriptedModel([...turns.map((turn) => turn(workspace)), { text: 'Done.' }]),
    tools: () => [fileEditor(), terminal({ pty: false }), finish()],
    skills: [rule],
  });
  await using conversation = await Conversation.create({ agent, store: memoryStore(), workspace });
  await conversation.send('Look.');
  await conversation.run();
  return conversation.request().messages.flatMap(({ role, content }) => (role === 'tool' ? [textOf(content)] : []));
}

test('a skill with paths is added to the first result of a call that names one of them', async () => {
  const [markdown, first, second] = await results([view('b.md'), view('a.ts'), view('/a.ts')]);
  expect([markdown, second].some((text) => text?.includes('Write no any.'))).toBe(false);
  expect(first).toMatch(/let a;[^]*\nSkill typescript, because a\.ts is in "\*\.ts":\n\nWrite no any\.$/);
});

const shell = (): ScriptedTurn => ({ calls: [{ name: 'terminal', arguments: { command: 'cat a.ts' } }] });

test('paths outside of the workspace, failed calls and shell commands activate no skill', async () => {
  const texts = await results([view('../a.ts'), view('missing.ts'), shell]);
  expect(texts.some((text) => text.includes('Write no any.'))).toBe(false);
});

test('a skill with paths is neither always on nor listed', () => {
  expect(skillsPrompt([rule])).toBeUndefined();
});
