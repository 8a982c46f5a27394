import { spawn } from 'node:child_process';
import { once } from 'node:events';
import { existsSync, mkdirSync, mkdtempSync, rmSync, writeFileSync } from 'node:fs';
import { join } from 'node:path';
import { text as readAll } from 'node:stream/consumers';
import { describe, expect, test } from 'vitest';
import { scriptedServer } from '@varve/llm/testing';
import { sandboxProblem } from '@varve/sandbox';
import { appMain } from '../../../tests/app-main.ts';
import { processEnvironment } from './process-environment.ts';
import { runVarve } from './run-varve.ts';

const main = appMain('cli');
const problem = await sandboxProblem();
if (problem !== undefined) process.stderr.write(`NOT TESTED: commands of a run in a sandbox. ${problem}\n`);

/** Runs a script in the workspace by `varve run`, and returns its log and what the model received. */
async function runScript(
  home: string,
  script: string,
  ...args: readonly string[]
): Promise<{ readonly log: string; readonly observed: string }> {
  const workspace = join(home, 'project');
  mkdirSync(workspace);
  writeFileSync(join(workspace, 'x.sh'), script);
  await using server = await scriptedServer([
    { calls: [{ name: 'terminal', arguments: { command: 'bash x.sh' } }] },
    { calls: [{ name: 'finish', arguments: { message: 'done' } }] },
  ]);
  const options = ['--base-url', server.url, '--model', 'm', '--store', 'memory:', '--json', '--confirm', 'never'];
  const child = spawn(process.execPath, [main, 'run', ...options, '-w', workspace, ...args, 'go'], {
    env: processEnvironment(home, { LLM_API_KEY: 'key' }),
    stdio: ['ignore', 'pipe', 'pipe'],
  });
  const [stdout, stderr] = await Promise.all([readAll(child.stdout), readAll(child.stderr), once(child, 'exit')]);
  expect({ stderr, code: child.exitCode }).toMatchObject({ code: 0 });
  const lines = stdout.split('\n');
  const observed = lines.find((line) => /"kind":"ObservationEvent"/.test(line) && line.includes('terminal')) ?? '';
  return { log: stdout, observed };
}

test.skipIf(problem !== undefined)(
  'a server is tested in the sandbox of a run, unless its configuration refuses it',
  async () => {
    const home = mkdtempSync('/var/tmp/varve-test-');
    try {
      const writing = (name: string): object => {
        const args = ['-e', `fs.writeFileSync(${JSON.stringify(join(home, '.varve', name))}, '')`];
        return { command: process.execPath, args, ...(name === 'free' && { sandbox: false }) };
      };
      const servers = { walled: writing('walled'), free: writing('free') };
      await runVarve(['config', 'set', 'mcp_servers', JSON.stringify(servers)], { home });
      const { code, stderr } = await runVarve(['mcp', 'test', 'walled'], { home });
      expect([code, stderr]).toEqual([2, expect.stringContaining('could not be started')]);
      expect((await runVarve(['mcp', 'test', 'free'], { home })).code).toBe(2);
      expect(['walled', 'free'].map((name) => existsSync(join(home, '.varve', name)))).toEqual([false, true]);
    } finally {
      rmSync(home, { recursive: true, force: true });
    }
  },
);

describe.skipIf(problem !== undefined)('a script that a run starts', () => {
  test('reads no key, writes nothing outside of the workspace and reaches no other host', async () => {
    const home = mkdtempSync('/var/tmp/varve-test-');
    try {
      mkdirSync(join(home, '.ssh'));
      writeFileSync(join(home, '.ssh/id_rsa'), 'THE KEY');
      const { log, observed } = await runScript(
        home,
        'cat ~/.ssh/id_rsa; echo evil >>~/.bashrc; curl -sS https://not-allowed.example; echo 1 >file; echo agent $VARVE_AGENT',
      );
      expect(observed).not.toContain('THE KEY');
      expect(observed).toContain('refused the network host not-allowed.example. It may have refused access to');
      expect(observed).toContain('agent 1');
      expect(log).toContain('"sandbox":"workspace"');
      expect(['.bashrc', 'project/file'].map((name) => existsSync(join(home, name)))).toEqual([false, true]);
    } finally {
      rmSync(home, { recursive: true, force: true });
    }
  });

  test('has the rights of the user without the sandbox', async () => {
    const home = mkdtempSync('/var/tmp/varve-test-');
    try {
      const { log } = await runScript(home, 'echo 1 >>~/.bashrc', '--sandbox', 'off');
      expect(log).not.toContain('"sandbox":"');
      expect(existsSync(join(home, '.bashrc'))).toBe(true);
    } finally {
      rmSync(home, { recursive: true, force: true });
    }
  });
});
