import { mkdtempDisposable, writeFile } from 'node:fs/promises';
import { tmpdir } from 'node:os';
import { join } from 'node:path';
import { expect, test } from 'vitest';
import { scriptedModel } from '@varve/llm/testing';
import { directoryStore } from '@varve/storage/directory';
import {
  applyPatch,
  fileEditor,
  finish,
  glob,
  grep,
  planningFileEditor,
  terminal,
  type Tool,
  toolKinds,
} from '@varve/tools';
import { defineAgent } from '../src/agent/agent.ts';
import { Conversation } from '../src/conversation/conversation.ts';

const patch = `*** Begin Patch\n*** Update File: lines\n${'@@ same\n'.repeat(15)}-same\n+new\n*** End Patch`;
const large = 'same\n'.repeat(120_000);
const flood = String.raw`yes "$(printf '\033[31mred\033[0m\033]0;title\007')" | head -c 1000000`;

/** Tools with inputs that take long; a path is that of the file with many lines. Lists of tasks are limited instead. */
const worst: readonly (readonly [string, () => Tool, (path: string) => object])[] = [
  ['a flood of escape sequences', terminal, () => ({ command: flood, timeout: 60 })],
  ['a patch', applyPatch, () => ({ patch })],
  ['a view of many lines', fileEditor, (path) => ({ command: 'view', path })],
  ['a replacement', fileEditor, (path) => ({ command: 'str_replace', path, old_str: large, new_str: '' })],
  ['a plan', () => planningFileEditor(), (path) => ({ command: 'view', path })],
  ['a glob', glob, () => ({ pattern: `**/${'*i'.repeat(200)}` })],
  ['an expression that backtracks', grep, () => ({ pattern: '(s*a*m*e*)*(s*a*m*e*)*x' })],
];

/** Tools that check an input and change a file at most, which are limited: no renewal is due during a call. */
const withoutWork = ['finish', 'memory', 'task_tracker', 'think'];

test('every built-in tool has an input that takes long, or does no work', () => {
  const named = new Set(worst.map(([, open]) => open().name));
  expect([...named, ...withoutWork].toSorted()).toEqual(
    toolKinds()
      .map(({ kind }) => kind)
      .toSorted(),
  );
});

test.for(worst)('the lease is renewed during a call of %s', async ([, open, input]) => {
  await using directory = await mkdtempDisposable(join(tmpdir(), 'varve-lease-'));
  const path = join(directory.path, 'lines');
  // The time is constant: the lease never expires, and only a renewal reads the clock during such a call.
  let readings = 0;
  const now = (): number => ((readings += 1), 1_750_000_000_000);
  await using store = await directoryStore({ path: join(directory.path, 'store'), now, leaseMs: 3 });
  let renewals = 0;
  const tool = open();
  const counted: Tool = {
    ...tool,
    // Otherwise events before a call that only reads are stored during it, which reads the clock too.
    effect: () => 'write',
    async execute(parsed, context) {
      // A fast call may end before the next renewal, so it is repeated until one is due during it.
      for (let tries = 1; ; tries += 1) {
        await writeFile(path, large);
        const before = readings;
        const output = await tool.execute(parsed, context);
        renewals = readings - before;
        if (renewals > 0 || tries === 100) return output;
      }
    },
  };
  const model = scriptedModel([
    { calls: [{ name: tool.name, arguments: { ...input(path) } }] },
    { calls: [{ name: 'finish', arguments: { message: 'Done.' } }] },
  ]);
  const agent = defineAgent({ model, tools: () => [counted, finish()] });
  await using conversation = await Conversation.create({ agent, store, workspace: directory.path });
  await conversation.send('Go.');
  expect(await conversation.run()).toMatchObject({ reason: 'finished' });
  expect(renewals).toBeGreaterThan(0);
});
