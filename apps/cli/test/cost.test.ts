import { join } from 'node:path';
import { beforeAll, expect, test } from 'vitest';
import { Conversation, defineAgent } from '@varve/agent';
import { modelCatalog } from '@varve/llm/wrappers';
import { scriptedModel } from '@varve/llm/testing';
import { sqliteStore } from '@varve/storage/sqlite';
import { finish, think } from '@varve/tools';
import { newHome, runVarve } from './run-varve.ts';

const model = 'gpt-5.1';
const baseUrl = 'https://api.openai.com/v1';
const home = await newHome();
const store = ['--store', `sqlite:${join(home, 'log.db')}`];
let ids: readonly string[] = [];

/** Stores a conversation whose third request the server had to read again. */
async function stored(): Promise<string> {
  const entry = (await modelCatalog()).find({ model, baseUrl });
  const turn = (input: number, read: number, name: string) => {
    const usage = {
      input_tokens: input,
      output_tokens: 9,
      cache_read_tokens: read,
      cache_write_tokens: 0,
      reasoning_tokens: 0,
    };
    const costUsd = entry?.costOf(usage) ?? 0;
    return {
      usage,
      costUsd,
      calls: [{ name, arguments: name === 'think' ? { thought: 'Hm.\u001B[2J' } : { message: 'Done.' } }],
    };
  };
  const scripted = scriptedModel([turn(2000, 0, 'think'), turn(3000, 2000, 'think'), turn(4000, 500, 'finish')], {
    name: model,
  });
  const agent = defineAgent({
    model: { ...scripted, spec: { kind: 'openai-chat', model, baseUrl } },
    tools: () => [think(), finish()],
  });
  await using logs = await sqliteStore({ path: join(home, 'log.db') });
  await using conversation = await Conversation.create({ agent, store: logs, workspace: home });
  await conversation.send('Think.');
  await conversation.run();
  return conversation.id;
}

beforeAll(async () => {
  ids = [await stored(), await stored()];
});

test('cost shows what used tokens and money, and what broke the cache with its price', async () => {
  const { code, stdout } = await runVarve(['cost', ids[0] ?? '', ...store], { home });
  expect(code).toBe(0);
  expect(stdout).toMatch(/^total\n {2}3 model calls · 9\.0k in \/ 27 out · \$0\.\d{4} · 28 % cached$/m);
  expect(stdout).toMatch(/^by purpose\n {2}agent {2}3 model calls/m);
  expect(stdout).toMatch(/^by model\n {2}gpt-5\.1 {2}3 model calls/m);
  expect(stdout).toMatch(/^by day\n {2}\d{4}-\d\d-\d\d {2}3 model calls/m);
  expect(stdout).toMatch(/^by tool result\n {2}think {2}2 · about \d+ tokens · \d+ in all requests$/m);
  expect(stdout).toMatch(
    /^by step\n {2}event \d+ {2}agent · gpt-5\.1 · 1 model call · 4\.0k in \/ 9 out · \$0\.\d{4} · 13 % cached$/m,
  );
  expect(stdout).toMatch(
    /^what broke the cache\n {2}event \d+ {2}the server, or 0 min without a request · 1\.5k tokens · \$0\.0017$/m,
  );
  expect(stdout).not.toContain('\u001B');
});

test('cost without an id adds up conversations, by directory and by conversation', async () => {
  const { stdout } = await runVarve(['cost', '-w', home, ...store], { home });
  expect(stdout).toMatch(/^total\n {2}6 model calls/m);
  expect(stdout).toMatch(/^by directory\n {2}\S+ {2}6 model calls/m);
  for (const id of ids) expect(stdout).toContain(`  ${id}  3 model calls`);
  const { stdout: json } = await runVarve(['cost', '-n', '1', '--json', ...store], { home });
  expect(JSON.parse(json)).toMatchObject({
    total: { calls: 3 },
    by: { model: { [model]: { input_tokens: 9000 } } },
    breaks: [{ tokens: 1500 }],
  });
});
