import { spawn } from 'node:child_process';
import { once } from 'node:events';
import { readFile } from 'node:fs/promises';
import { join } from 'node:path';
import { text as readAll } from 'node:stream/consumers';
import { expect, test } from 'vitest';
import { scriptedServer } from '@varve/llm/testing';
import { appMain } from '../../../tests/app-main.ts';
import { processEnvironment } from './process-environment.ts';
import { newHome, runVarve } from './run-varve.ts';

const main = appMain('cli');

/** Runs one invocation in a process of its own. */
async function runProcess(args: readonly string[], home: string) {
  const child = spawn(process.execPath, [main, ...args], {
    env: processEnvironment(home),
    stdio: ['ignore', 'ignore', 'pipe'],
  });
  const [stderr, [code]] = await Promise.all([readAll(child.stderr), once(child, 'exit')]);
  return { code: Number(code), stderr };
}

const rounds = 5;

const races = ['sqlite', 'dir'].flatMap((scheme) =>
  (['--approve', '--reject'] as const).flatMap((other) =>
    Array.from({ length: rounds }, (_, round) => ({ scheme, decisions: ['--approve', other] as const, round })),
  ),
);

test.for(races)(
  '$scheme: of $decisions in two processes at once one applies, round $round',
  async ({ scheme, decisions }) => {
    const calls = [{ name: 'terminal', arguments: { command: 'echo ran >> ran.txt' } }];
    await using server = await scriptedServer([{ calls }, { text: 'Done.' }, { text: 'Done.' }]);
    const home = await newHome();
    const store = ['--store', `${scheme}:${join(home, scheme)}`];
    const local = ['--base-url', server.url, '--model', 'm', '--confirm', 'always', '--workspace', home];
    const first = await runVarve(['run', 'Write it.', ...local, ...store], { home });
    const [, id = '', digest = ''] = /--resume (\w+).* --approve (\w+)/.exec(first.stderr) ?? [];
    const values = { '--approve': digest, '--reject': 'No.' };
    const ended = await Promise.all(
      decisions.map((decision) => runProcess(['run', '--resume', id, decision, values[decision], ...store], home)),
    );
    const won = ended.findIndex(({ code }) => code === 0);
    // The other one finds the conversation held, or the call decided.
    expect(ended.filter(({ code }) => [2, 4].includes(code))).toHaveLength(1);
    const ran = await readFile(join(home, 'ran.txt'), 'utf8').catch(() => '');
    expect(ran).toBe(decisions[won] === '--approve' ? 'ran\n' : '');
  },
);
