import { readdir } from 'node:fs/promises';
import { expect, test } from 'vitest';
import { confirmRisky } from '@varve/agent';
import { shellRisk } from '@varve/agent/confirmation';
import type { ScriptedTurn } from '@varve/llm/testing';
import { answered } from '../../test/asked-run.ts';

const command = (text: string): ScriptedTurn => ({ calls: [{ name: 'terminal', arguments: { command: text } }] });

test.for([
  ['xterm', true, 1],
  ['dumb', true, 1],
  ['xterm', false, 0],
] as const)('with TERM=%s, what is typed before a question answers none if stderr is a terminal: %j', async (row) => {
  const [TERM, isTTY, count] = row;
  expect((await answered([], [], { env: { TERM }, isTTY })).muted()).toBe(count);
});

test('an approval for the session covers the command in its directory, and no other one', async () => {
  const turns = ['touch a', 'touch a', 'mkdir sub; cd sub', 'touch a', 'cd ..', 'touch a'].map(command);
  // The first one, the change into the directory, the command there, and the way back.
  const answers = ['s', 'y', 'n', 'y'];
  const run = await answered(turns, answers, { env: { TERM: 'xterm' }, isTTY: true });
  expect([run.reason, run.left]).toEqual(['finished', []]);
  expect((await readdir(run.workspace, { recursive: true })).toSorted()).toEqual(['a', 'sub']);
});

test('what no person was asked about runs with an approved call, and has no approval of its own', async () => {
  const calls = ['touch a', 'rm -rf ~/none-of-this'].map((text) => ({
    name: 'terminal',
    arguments: { command: text },
  }));
  const surroundings = { env: { TERM: 'xterm' }, isTTY: true };
  const risky = confirmRisky({ analyzer: shellRisk() });
  for (const [answer, approvals] of [
    ['n no', 1],
    ['y', 1],
  ] as const) {
    const run = await answered([{ calls }], [answer], surroundings, { confirmation: risky });
    expect([run.reason, run.asked(), run.approvals]).toEqual(['finished', 1, approvals]);
    expect(await readdir(run.workspace)).toEqual(['a']);
  }
});
