import { PassThrough } from 'node:stream';
import { alwaysConfirm, Conversation, defineAgent } from '@varve/agent';
import { scriptedModel } from '@varve/llm/testing';
import { memoryStore } from '@varve/storage';
import { finish, terminal } from '@varve/tools';
import { expect, test } from 'vitest';
import { terminalIo } from '../terminal/terminal-io.ts';
import { Progress } from './progress.ts';
import { printWaiting } from './waiting-lines.ts';

test('a call that was approved with other arguments waits for the others with these', async () => {
  const calls = ['git push', 'make'].map((command) => ({ name: 'terminal', arguments: { command } }));
  const agent = defineAgent({
    model: scriptedModel([{ calls }]),
    tools: () => [terminal(), finish()],
    confirmation: alwaysConfirm(),
  });
  await using conversation = await Conversation.create({ agent, store: memoryStore(), workspace: '/' });
  await conversation.send('Go.');
  await conversation.run();
  const actionIds = conversation.state.pending.slice(0, 1).map(({ event }) => event.id);
  await conversation.approve({ actionIds, arguments: { command: 'git push --dry-run' } });
  const stderr = Object.assign(new PassThrough(), { columns: 80 });
  const io = terminalIo({ env: {}, cwd: '/', stdin: new PassThrough(), stdout: new PassThrough(), stderr });
  using progress = new Progress(io);
  printWaiting(conversation, {}, { io, progress });
  const printed = String(stderr.read());
  expect(printed).toContain(
    '│ $ git push --dry-run\nApproved with other arguments; it waits for the others.\n│ $ make\n',
  );
  expect(printed).toContain(`--approve ${conversation.digestOf().slice(0, 16)}\n`);
});
