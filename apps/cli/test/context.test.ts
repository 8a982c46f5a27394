import { join } from 'node:path';
import { expect, test } from 'vitest';
import { Conversation, defineAgent } from '@varve/agent';
import { rollingWindow } from '@varve/condensers';
import { scriptedModel } from '@varve/llm/testing';
import { sqliteStore } from '@varve/storage/sqlite';
import { finish, think } from '@varve/tools';
import { newHome, runVarve } from './run-varve.ts';

/** Creates a home with one condensed conversation whose model has a known window. */
async function condensed() {
  const home = await newHome();
  const thoughts = Array.from({ length: 8 }, (_, index) => ({
    calls: [{ name: 'think', arguments: { thought: `Thought ${index} \u001B[2J` } }],
  }));
  const scripted = scriptedModel([...thoughts, { text: 'Enough.' }], { capabilities: { contextWindow: 40_000 } });
  const spec = { kind: 'openai-chat', model: 'm', baseUrl: 'http://127.0.0.1:1/v1', contextWindow: 40_000 };
  const agent = defineAgent({
    model: { ...scripted, spec },
    tools: () => [think(), finish()],
    condenser: rollingWindow({ maxEvents: 12 }),
    parameters: { maxOutputTokens: 10_000 },
  });
  const store = await sqliteStore({ path: join(home, 'log.db') });
  const conversation = await Conversation.create({ agent, store, workspace: home });
  await conversation.send('Think.');
  await conversation.run();
  await conversation[Symbol.asyncDispose]();
  await store[Symbol.asyncDispose]();
  return { home, id: conversation.id, args: ['--store', `sqlite:${join(home, 'log.db')}`] };
}

test('context shows the tokens of each part and what is free, whose sum is what fits next to a reply', async () => {
  const { home, id, args } = await condensed();
  const { code, stdout, stderr } = await runVarve(['context', id.slice(0, 6), ...args], { home });
  expect(code).toBe(0);
  const rows = new Map(
    Array.from(stdout.matchAll(/^(\w+) +([\d,]+) +\d+ %$/gm), ([, name = '', tokens = '']) => [
      name,
      Number(tokens.replaceAll(',', '')),
    ]),
  );
  expect([...rows.keys()]).toEqual(['prompt', 'tools', 'skills', 'summaries', 'history', 'free']);
  expect([...rows.values()].reduce((sum, tokens) => sum + tokens, 0)).toBe(30_000);
  for (const part of ['prompt', 'tools', 'summaries', 'history']) expect(rows.get(part)).toBeGreaterThan(0);
  expect(stderr).toContain('30,000 fit next to a reply into the 40,000 of m');
  const json = await runVarve(['context', id, '--json', ...args], { home });
  expect(JSON.parse(json.stdout)).toMatchObject({ id, context_window: 40_000, limit: 30_000, skills: 0 });
});

test('a condensation is shown with its tokens, its kinds of events and the beginning of its summary', async () => {
  const { home, id, args } = await condensed();
  const { stdout } = await runVarve(['show', id, ...args], { home });
  expect(stdout).toMatch(/condensed by rolling-window: about [\d,]+ → [\d,]+ tokens · forgot \d calls, \d results/);
  expect(stdout).toMatch(/… \d+ events are no longer shown to the model\n {2}\d+ earlier events of this conversation/);
  expect(stdout).not.toContain('\u001B');
});
