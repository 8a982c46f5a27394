import { mkdirSync } from 'node:fs';
import { join } from 'node:path';
import { expect, test } from 'vitest';
import { blocksOf } from './readme-snippet.ts';
import { runSnippet, snippetDirectory } from './run-snippet.ts';
import { trackedFiles } from './tracked-files.ts';
import { readText } from './workspace.ts';

const pages = trackedFiles().filter((file) => file.startsWith('docs/guide/') && blocksOf(readText(file), 'ts')[0]);

/** Stores a conversation of last year in the database that pages name. */
const stored = `
  import { Conversation, defineAgent } from '@varve/agent';
  import { scriptedModel } from '@varve/llm/testing';
  import { sqliteStore } from '@varve/storage/sqlite';

  await using store = await sqliteStore({ path: 'varve.db', now: () => Date.now() - 365 * 24 * 60 * 60 * 1000 });
  const model = scriptedModel([
    { text: 'Hello.', usage: { input_tokens: 1200, output_tokens: 80 }, costUsd: 0.02 },
  ]);
  const id = 'bc61f6123b40498fb74020dd93911a9f';
  const agent = defineAgent({ model, tools: [] });
  await using conversation = await Conversation.create({ agent, store, id, workspace: '.' });
  await conversation.send('Hello?');
  await conversation.run();`;

/** Replies of the server that a page uses in place of that of its provider. */
const replies = [
  { text: 'The test passes.' },
  { calls: [{ name: 'terminal', arguments: { command: 'git push' } }] },
  { text: 'There is no repository.' },
  { text: 'It is fixed.' },
  { text: 'It is documented.' },
];

/** Returns the program of a page, with the address of a scripted server next to its keys. */
function programOf(page: string): string {
  const code = blocksOf(readText(page), 'ts').join('\n');
  if (!code.includes('keys: process.env')) return code;
  return `
    import { scriptedServer } from '@varve/llm/testing';
    await using scripted = await scriptedServer(${JSON.stringify(replies)});
    process.env.OPENAI_API_KEY = 'not-a-key';
    process.env.OPENAI_BASE_URL = scripted.url;
    ${code.replaceAll('keys: process.env', 'keys: process.env, baseUrl: scripted.url')}`;
}

test('pages have programs', () => {
  expect(pages.length).toBeGreaterThanOrEqual(5);
});

test.for(pages)('the blocks of %s are one program, which prints the texts of the page', async (page) => {
  using directory = snippetDirectory();
  mkdirSync(join(directory.path, 'project'));
  const program = programOf(page);
  const preparation = program.includes("'varve.db'") ? stored : '';
  expect(await runSnippet(preparation, directory.path)).toMatchObject({ code: 0, stderr: '' });
  const { code, stdout, stderr } = await runSnippet(program, directory.path);
  expect(code, stderr).toBe(0);
  expect(stderr).toBe('');
  expect(stdout).toBe(blocksOf(readText(page), 'text').join(''));
});
