import { scriptedServer, type ScriptedTurn } from '@varve/llm/testing';
import { expect, test } from 'vitest';
import { newHome, runVarve } from './run-varve.ts';
import { onTerminal } from './terminal-user.ts';

const ask = (text: string): ScriptedTurn => ({ text });

/** Returns the arguments of a run at a scripted server. */
function runAt(url: string, ...args: readonly string[]): readonly string[] {
  return ['run', 'Go.', '--base-url', url, '--model', 'm', ...args];
}

test('a run that ends with a question has its own exit status, and names the command that answers', async () => {
  const home = await newHome();
  await using server = await scriptedServer([ask('Which file?'), ask('Fine.')]);
  const { code, stdout, stderr } = await runVarve(runAt(server.url, '--text-reply', 'wait'), { home });
  expect([code, stdout]).toEqual([8, 'Which file?\n']);
  const [, id = ''] = /--resume (\S+) "ANSWER"/.exec(stderr) ?? [];
  const again = await runVarve(['run', '--resume', id], { home });
  expect([again.code, again.stdout]).toEqual([8, 'Which file?\n']);
  expect(again.stderr).toContain(`Answer with: varve run --resume ${id} "ANSWER"`);
  expect(server.requests).toHaveLength(1);
  const answered = await runVarve(['run', '--resume', id, 'That one.', '--text-reply', 'finish'], { home });
  expect([answered.code, answered.stdout]).toEqual([0, 'Fine.\n']);
});

test('each line of standard input answers a question, and its end leaves the next one open', async () => {
  const home = await newHome();
  await using server = await scriptedServer([ask('One?'), ask('Two?'), ask('Three?')]);
  const run = await runVarve(runAt(server.url, '--text-reply', 'wait'), { home, stdin: 'answer-one\nanswer-two\n' });
  expect([run.code, run.stdout]).toEqual([8, 'Three?\n']);
  expect(server.requests[1]?.text).toContain('answer-one');
  expect(server.requests[1]?.text).not.toContain('answer-two');
  expect(server.requests[2]?.text).toContain('answer-two');
});

test('on a terminal the person answers', async () => {
  const home = await newHome();
  await using server = await scriptedServer([ask('Which file?'), ask('And now?')]);
  const { code, left } = await onTerminal(runAt(server.url, '--text-reply', 'wait'), home, [
    ['Answer (empty: later): ', 'The first.'],
    ['Answer (empty: later): ', ''],
  ]);
  expect([code, left]).toEqual([8, []]);
  expect(server.requests[1]?.text).toContain('The first.');
});

test('with continue a reply without calls is no end', async () => {
  const home = await newHome();
  const done: ScriptedTurn = { calls: [{ name: 'finish', arguments: { message: 'Done.' } }] };
  await using server = await scriptedServer([ask('Shall I?'), done]);
  const { code, stdout } = await runVarve(runAt(server.url, '--text-reply', 'continue'), { home });
  expect([code, stdout]).toEqual([0, 'Done.\n']);
});

test('a last message that is a question is the end by default, and the command that answers it is named', async () => {
  const home = await newHome();
  await using server = await scriptedServer([ask('It is done. Shall I also **push it?**'), ask('Pushed.')]);
  const { code, stderr } = await runVarve(runAt(server.url), { home });
  expect([code, stderr]).toEqual([0, expect.stringMatching(/\nAnswer with: varve run --resume \w+ "ANSWER"\n$/)]);
  const other = await runVarve(runAt(server.url), { home });
  expect(other.stderr).toMatch(/\nResume with: varve run --resume \w+\n$/);
});
