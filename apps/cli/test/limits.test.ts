import { mkdtemp } from 'node:fs/promises';
import { tmpdir } from 'node:os';
import { join } from 'node:path';
import { writeFile } from 'node:fs/promises';
import { expect, test } from 'vitest';
import { scriptedServer, type ScriptedStep, type ScriptedTurn } from '@varve/llm/testing';
import { runVarve } from './run-varve.ts';

const usage = { input_tokens: 900, output_tokens: 100 };
const step: ScriptedStep = { calls: [{ name: 'terminal', arguments: { command: 'true' } }], usage };

async function run(args: readonly string[], steps: readonly ScriptedStep[]) {
  const home = await mkdtemp(join(tmpdir(), 'varve-home-'));
  await using server = await scriptedServer(steps);
  const result = await runVarve(['run', '--base-url', server.url, '--model', 'm', '--confirm', 'never', ...args], {
    home,
  });
  return { ...result, home, requests: server.requests.length };
}

test('a run ends at its tokens, and the last lines name the limit and how to resume', async () => {
  const { code, stderr, requests } = await run(['Go', '--max-tokens', '1500'], [step, step, step]);
  expect([code, requests]).toEqual([6, 2]);
  expect(stderr).toMatch(/Stopped at the token limit\.\nResume with: varve run --resume \w+\n$/);
});

test('a run ends when its time is over, in the middle of a command', async () => {
  const sleep: ScriptedStep = { calls: [{ name: 'terminal', arguments: { command: 'sleep 600' } }] };
  const { code, stderr } = await run(['Go', '--timeout', '2'], [sleep]);
  expect(code).toBe(6);
  expect(stderr).toContain('Stopped at the time limit.');
});

test.for([
  ['--max-cost', '0'],
  ['--max-tokens', '-1'],
  ['--timeout', 'soon'],
])('%s %s is refused', async (option) => {
  expect((await run(['Go', ...option], [])).code).toBe(2);
});

const prices = ['llm.input_cost_per_token=0.00001', 'llm.output_cost_per_token=0.0001'].flatMap((price) => [
  '--set',
  price,
]);

test('a limit of cost is refused for a model of unknown price, and ends the run with stated prices', async () => {
  const refused = await run(['Go', '--max-cost', '0.03'], []);
  expect([refused.code, refused.requests]).toEqual([2, 0]);
  expect(refused.stderr).toContain('the price of m is not known');
  expect(refused.stderr).toContain('input_cost_per_token=');
  const { code, stderr, requests } = await run(['Go', '--max-cost', '0.03', ...prices], [step, step, step]);
  expect([code, requests]).toEqual([6, 2]);
  expect(stderr).toContain('Stopped at the cost limit.');
  expect(stderr).toContain('$0.0380');
  const { stderr: warned } = await run(['Go', '--set', 'budget.cost_usd=1'], [done('Done.')]);
  expect(warned).toContain('budget.cost_usd does not limit m');
});

const done = (message: string): ScriptedTurn => ({ calls: [{ name: 'finish', arguments: { message } }] });

test('options of the headless mode of OpenHands are accepted', async () => {
  const home = await mkdtemp(join(tmpdir(), 'varve-home-'));
  await writeFile(join(home, 'task.txt'), 'From a file');
  await using server = await scriptedServer([{ text: 'Shall I?' }, done('One.'), { text: 'Two?' }]);
  const options = ['run', '--base-url', server.url, '--model', 'm', '-d', home, '-i', '5', '-b', '2.5', ...prices];
  // There no answer comes unless the caller asks for it.
  const first = await runVarve([...options, '-t', 'Typed'], { home });
  expect(first).toMatchObject({ code: 0, stdout: 'One.\n' });
  const second = await runVarve([...options, '-t', 'Typed', '-f', 'task.txt', '--no-auto-continue'], { home });
  expect(second).toMatchObject({ code: 8, stdout: 'Two?\n' });
  const sent = JSON.stringify(server.requests.at(-1));
  expect(sent).toContain('From a file');
  expect(sent).not.toContain('Typed');
});

test('a run that finished ends with its cost and how to resume', async () => {
  const { stderr } = await run(['Go'], [{ text: 'Done.', usage }]);
  expect(stderr).toMatch(/1 model call · 900 in \/ 100 out\nResume with: varve run --resume \w+\n$/);
});

const check = (status: number): ScriptedStep => {
  const command = `printf '.PHONY: test\\ntest:\\n\\t@exit ${status}\\n' >Makefile`;
  return { calls: [{ name: 'terminal', arguments: { command } }] };
};

test('the answer is followed by what the log shows about it, which CI can require', async () => {
  const make: ScriptedStep = { calls: [{ name: 'terminal', arguments: { command: 'make test' } }] };
  const fresh = await run(['Go', '--require-fresh-check'], [check(0), make, done('All tests pass.')]);
  expect(fresh.stderr).toMatch(/^make test: exit 0 \(event \d+\)$/m);
  expect([fresh.code, fresh.stdout]).toEqual([0, 'All tests pass.\n']);
  const failed = await run(['Go', '--require-fresh-check'], [check(1), make, done('All tests pass.')]);
  expect(failed.stderr).toMatch(/^make test: exit 2 \(event \d+\), the answer states that it passed$/m);
  expect([failed.code, failed.stdout]).toEqual([6, 'All tests pass.\n']);
  expect((await run(['Go', '--require-fresh-check'], [done('Done.')])).code).toBe(6);
});
