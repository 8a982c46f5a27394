import { mkdtempDisposable, writeFile } from 'node:fs/promises';
import { tmpdir } from 'node:os';
import { join } from 'node:path';
import { expect, test } from 'vitest';
import { scriptedModel } from '@varve/llm/testing';
import { directoryStore } from '@varve/storage/directory';
import { applyPatch, finish, terminal, type Tool } from '@varve/tools';
import { defineAgent } from '../src/agent.ts';
import { Conversation } from '../src/conversation/conversation.ts';

const patch = `*** Begin Patch\n*** Update File: lines\n${'@@ same\n'.repeat(15)}-same\n+new\n*** End Patch`;
const flood = String.raw`yes "$(printf '\033[31mred\033[0m\033]0;title\007')" | head -c 1000000`;

/** Tools with inputs that take long. */
const worst: readonly (readonly [string, () => Tool, Readonly<Record<string, string | number>>])[] = [
  ['a flood of escape sequences', terminal, { command: flood, timeout: 60 }],
  ['a patch', applyPatch, { patch }],
];

test.for(worst)('the lease is renewed during a call of %s', async ([, open, input]) => {
  await using directory = await mkdtempDisposable(join(tmpdir(), 'varve-lease-'));
  await writeFile(join(directory.path, 'lines'), 'same\n'.repeat(60_000));
  // The time is constant: the lease never expires, and only a renewal reads the clock during such a call.
  let readings = 0;
  const now = (): number => ((readings += 1), 1_750_000_000_000);
  await using store = await directoryStore({ path: join(directory.path, 'store'), now, leaseMs: 3 });
  let renewals = 0;
  const tool = open();
  const counted: Tool = {
    ...tool,
    async execute(parsed, context) {
      const before = readings;
      const output = await tool.execute(parsed, context);
      renewals = readings - before;
      return output;
    },
  };
  const model = scriptedModel([
    { calls: [{ name: tool.name, arguments: input }] },
    { calls: [{ name: 'finish', arguments: { message: 'Done.' } }] },
  ]);
  const agent = defineAgent({ model, tools: () => [counted, finish()] });
  await using conversation = await Conversation.create({ agent, store, workspace: directory.path });
  await conversation.send('Go.');
  expect(await conversation.run()).toMatchObject({ reason: 'finished' });
  expect(renewals).toBeGreaterThan(1);
});
