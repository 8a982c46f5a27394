import { writeFileSync } from 'node:fs';
import { join } from 'node:path';
import { expect, test } from 'vitest';
import { scriptedServer, type ScriptedServer, type ScriptedTurn } from '@varve/llm/testing';
import { newHome, runVarve, type Invocation } from './run-varve.ts';
import { leaveWindow, openSession } from './session-window.ts';

const done = (message: string): ScriptedTurn => ({ calls: [{ name: 'finish', arguments: { message } }] });
const verdict = (complete: boolean, missing = ''): ScriptedTurn => ({
  text: JSON.stringify({ score: complete ? 1 : 0, complete, missing }),
});

async function runIn({ url }: Pick<ScriptedServer, 'url'>) {
  const home = await newHome();
  const run = (...args: readonly string[]): Promise<Invocation> =>
    runVarve(['run', '--base-url', url, '--model', 'm', '-w', home, ...args], { home });
  return { home, run };
}

function idOf({ stderr }: Invocation): string {
  return /conversation (\w+)/.exec(stderr)?.[1] ?? '';
}

test('--goal runs until the model judges the objective as met, and prints what was missing in between', async () => {
  await using server = await scriptedServer([
    done('Half.'),
    verdict(false, 'The other half.'),
    done('All.'),
    verdict(true),
  ]);
  const { run } = await runIn(server);
  const { code, stdout, stderr } = await run('--confirm', 'never', '--goal', 'Do all of it.');
  expect([code, stdout]).toEqual([0, 'All.\n']);
  expect(stderr).toContain('The other half.');
  expect(stderr).toContain('The goal is met according to 2 checks');
  expect(server.requests).toHaveLength(4);
});

test('a goal that is not met in its rounds has another exit status than one that is', async () => {
  await using server = await scriptedServer([done('Half.'), verdict(false, 'The other half.')]);
  const { run } = await runIn(server);
  const { code, stderr } = await run('--confirm', 'never', '--goal', '--max-rounds', '1', 'Do all of it.');
  expect(code).toBe(6);
  expect(stderr).toContain('The goal is not met after 1 check: The other half.');
});

test('a goal whose call waits continues with --resume and the approval, as its command prints it', async () => {
  const call = { calls: [{ name: 'terminal', arguments: { command: 'echo approved' } }] };
  await using server = await scriptedServer([call, done('Done.'), verdict(true)]);
  const { run } = await runIn(server);
  const first = await run('--confirm', 'always', '--goal', 'Print it.');
  expect(first.code).toBe(7);
  const [, digest = ''] = /--goal --approve (\w+)/.exec(first.stderr) ?? [];
  const second = await run('--resume', idOf(first), '--goal', '--approve', digest);
  expect([second.code, second.stdout]).toEqual([0, 'Done.\n']);
  expect(second.stderr).toContain('The goal is met according to 1 check ');
  const third = await run('--resume', idOf(first), '--goal');
  expect(third.code).toBe(2);
  expect(third.stderr).toContain('no interrupted goal');
});

test('--max-rounds without --goal is wrong usage', async () => {
  const home = await newHome();
  expect(await runVarve(['run', '--max-rounds', '2', 'Go.'], { home })).toMatchObject({ code: 2 });
});

test('a goal of a session starts with the output of a command that the agent has not read, and with files', async () => {
  await using server = await scriptedServer([done('All.'), verdict(true)]);
  const home = await newHome();
  writeFileSync(join(home, 'plan.txt'), 'the plan');
  const window = await openSession(server, home);
  await window.enter('!echo public-$((40+2))', 'public-42');
  await window.enter('/goal Do all of @plan.txt now', 'The goal is met');
  await leaveWindow(window);
  expect(server.requests[0]?.text).toMatch(/public-42[^]*the plan[^]*Do all of @plan\.txt now/);
  server.assertDone();
});
