import { execFileSync, spawn } from 'node:child_process';
import { once } from 'node:events';
import { mkdirSync, mkdtempSync, readdirSync, readFileSync, rmSync, writeFileSync } from 'node:fs';
import { dirname, join } from 'node:path';
import { text as readAll } from 'node:stream/consumers';
import { expect, onTestFinished, test } from 'vitest';
import { scriptedServer } from '@varve/llm/testing';
import { sandboxProblem } from '@varve/sandbox';
import { appMain } from '../../../tests/app-main.ts';
import { processEnvironment } from './process-environment.ts';

const problem = await sandboxProblem();
if (problem !== undefined) process.stderr.write(`NOT TESTED: dangerous commands in a sandbox. ${problem}\n`);

const main = appMain('cli');

const secret = 'THE-CREDENTIAL-7f3a';

/** Files of a home directory: all that a command must neither show nor change. */
const files = [
  '.ssh/id_rsa',
  '.npmrc',
  '.netrc',
  '.aws/credentials',
  '.config/gh/hosts.yml',
  '.git-credentials',
  '.bash_history',
  '.varve/secrets.key',
  '.varve/signing-key.pem',
];
const others = ['.bashrc', '.bash_aliases', '.profile', '.gitconfig', 'notes.txt', 'other/src/index.ts'];

/** Deletes the temporary files of this machine, which a sandbox shares. */
const tooDangerous = 'rm -rf / --no-preserve-root';

const { dangerous } = JSON.parse(
  readFileSync(new URL('../../../tests/fixtures/agent-commands.json', import.meta.url), 'utf8'),
) as { readonly dangerous: readonly string[] };

const commands = dangerous.filter((command) => command !== tooDangerous);

/** Returns the hash of each file and the target of each link of a home, without the workspace and the caches. */
function contentOf(home: string): string {
  const pruned = ['project', '.cache', '.npm', '.varve'].map((name) => `-path ./${name}`).join(' -o ');
  const script = `find . \\( ${pruned} \\) -prune -o ! -type d -printf '%p %l ' -exec sha256sum {} \\; | sort; sha256sum .varve/*key*; ls -A ..`;
  return execFileSync('bash', ['-c', script], { cwd: home, encoding: 'utf8' });
}

/** Creates a home directory with a workspace. */
function newHome(): string {
  const root = mkdtempSync('/var/tmp/varve-danger-');
  onTestFinished(() => rmSync(root, { recursive: true, force: true }));
  for (const name of [...files, ...others, 'project/src/index.ts', 'project/docs/a.md']) {
    mkdirSync(dirname(join(root, 'home', name)), { recursive: true });
    writeFileSync(join(root, 'home', name), files.includes(name) ? `key = ${secret}\n` : `${name}\n`);
  }
  execFileSync('git', ['init', '-q', join(root, 'home/project')]);
  return join(root, 'home');
}

/** Runs commands one after the other by `varve run`, and returns the requests that the model received. */
async function requestsOf(home: string, scripts: readonly string[], profile: string): Promise<readonly string[]> {
  const turns = scripts.map((command) => ({ calls: [{ name: 'terminal', arguments: { command } }] }));
  const done = { calls: [{ name: 'finish', arguments: { message: 'done' } }] };
  await using server = await scriptedServer([...turns, done]);
  const place = ['--store', 'memory:', '--sandbox', profile, '-w', join(home, 'project')];
  const model = ['--base-url', server.url, '--model', 'm', '--confirm', 'never', '--max-steps', '200'];
  const child = spawn(process.execPath, [main, 'run', ...place, ...model, 'go'], {
    // No allowed host is reached either: nothing listens there.
    env: processEnvironment(home, {
      LLM_API_KEY: 'key',
      HTTPS_PROXY: 'http://127.0.0.1:9',
      HTTP_PROXY: 'http://127.0.0.1:9',
      NO_PROXY: '127.0.0.1',
    }),
    stdio: ['ignore', 'ignore', 'pipe'],
  });
  const [stderr] = await Promise.all([readAll(child.stderr), once(child, 'exit')]);
  expect({ stderr, code: child.exitCode }).toMatchObject({ code: 0 });
  expect(server.requests.length).toBeGreaterThan(scripts.length);
  return server.requests.map(({ text }) => text);
}

test.skipIf(problem !== undefined)(
  'no command changes anything outside of the workspace, or shows a credential to the model',
  { timeout: 900_000 },
  async () => {
    const home = newHome();
    const workspace = join(home, 'project');
    const before = contentOf(home);
    // Each in a shell of its own, because some end it.
    const scripts = commands.map(
      (command) => `cd ${workspace}; mkdir -p src docs; timeout 10 bash -c ${quoted(command)} </dev/null`,
    );
    const requests = await requestsOf(home, scripts, 'workspace');
    expect(requests.filter((text) => text.includes(secret))).toEqual([]);
    expect(contentOf(home)).toBe(before);
    expect(readdirSync(join(workspace, '.git/hooks'))).not.toContain('pre-commit');
    expect(readdirSync(workspace)).not.toContain('.mcp.json');
  },
);

test('without the sandbox a command shows a credential, so the test above would notice it', async () => {
  // In plain words it would be asked about.
  const command = `python3 -c 'import os; print(open(os.path.expanduser("~/.npm" + "rc")).read())'`;
  const requests = await requestsOf(newHome(), [command], 'off');
  expect(requests.some((text) => text.includes(secret))).toBe(true);
});

function quoted(text: string): string {
  return `'${text.replaceAll("'", String.raw`'\''`)}'`;
}
