import { expect, test } from 'vitest';
import { scriptedServer, type ScriptedStep, type ScriptedTurn } from '@varve/llm/testing';
import { newHome, runVarve, type Invocation } from './run-varve.ts';

const done: ScriptedTurn = { calls: [{ name: 'finish', arguments: { message: 'Done.' } }] };
const think = (thought: string): ScriptedTurn => ({ calls: [{ name: 'think', arguments: { thought } }] });

/** A conversation with some steps in a new home directory, whose server then has these turns. */
async function stored(...turns: readonly ScriptedStep[]) {
  const home = await newHome();
  const thoughts = Array.from({ length: 12 }, (_, index) => think(`${index}: ${'The port is 7. '.repeat(40)}`));
  const server = await scriptedServer([...thoughts, done, ...turns]);
  const varve = (...args: readonly string[]): Promise<Invocation> => runVarve(args, { home });
  const named = ['--base-url', server.url, '--model', 'm'];
  const { stderr } = await varve('run', ...named, '-w', home, '--confirm', 'never', 'Think.');
  const id = /conversation (\w+)/.exec(stderr)?.[1] ?? '';
  return { id, varve, server };
}

function historyIn({ stdout }: Invocation): number {
  return (JSON.parse(stdout) as { readonly history: number }).history;
}

test('condense shortens the view with a focus, and prints what was forgotten with the summary', async () => {
  const { id, varve, server } = await stored({ text: 'GOALS: think. The port is 7.' });
  await using _ = server;
  const before = historyIn(await varve('context', id, '--json'));
  const { code, stdout } = await varve('condense', id, 'the', 'port');
  expect(code).toBe(0);
  expect(server.requests.at(-1)?.text).toContain('the port');
  expect(stdout).toMatch(/about [\d,]+ → [\d,]+ tokens/);
  expect(stdout).toMatch(/16 events are no longer shown to the model\n[^]*\n {2}GOALS: think\. The port is 7\./);
  expect(historyIn(await varve('context', id, '--json'))).toBeLessThan(before);
});

test('a failure of the model is reported, and the view stays as it is', async () => {
  const { id, varve, server } = await stored({ fault: { kind: 'answer', status: 401, body: 'No.' } });
  await using _ = server;
  const before = historyIn(await varve('context', id, '--json'));
  const { code, stdout } = await varve('condense', id);
  expect([code, stdout]).toEqual([3, '']);
  expect(historyIn(await varve('context', id, '--json'))).toBe(before);
});

test('a summary that says more than what it replaces is reported as a failure of the condenser', async () => {
  const { id, varve, server } = await stored({ text: 'A long story. '.repeat(5_000) });
  await using _ = server;
  const { code, stderr } = await varve('condense', id);
  expect([code, stderr]).toEqual([3, expect.stringMatching(/^varve: .*summary/m)]);
});
