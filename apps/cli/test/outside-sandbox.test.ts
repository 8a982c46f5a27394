import { once } from 'node:events';
import { existsSync, mkdtempSync, readFileSync, rmSync } from 'node:fs';
import { createServer } from 'node:http';
import { tmpdir } from 'node:os';
import { join } from 'node:path';
import { afterAll, describe, expect, test } from 'vitest';
import { alwaysConfirm } from '@varve/agent';
import { withRules } from '@varve/agent/confirmation';
import type { ScriptedTurn } from '@varve/llm/testing';
import { openSandbox, sandboxProblem } from '@varve/sandbox';
import { permissionStore } from '@varve/settings/trust';
import { answered, type AskedPolicy } from './asked-run.ts';

const problem = await sandboxProblem();
if (problem !== undefined) process.stderr.write(`NOT TESTED: calls that run outside of a sandbox. ${problem}\n`);

const root = mkdtempSync('/var/tmp/varve-test-');
afterAll(() => rmSync(root, { recursive: true, force: true }));

const commands = (...texts: readonly string[]): readonly ScriptedTurn[] =>
  texts.map((command) => ({ calls: [{ name: 'terminal', arguments: { command } }] }));

const surroundings = { env: { TERM: 'xterm', VARVE_HOME: join(root, 'home') }, isTTY: true };

const walls = {
  profile: 'workspace',
  writable: [tmpdir()],
  readOnly: [],
  hidden: [],
  network: { allowed: [] },
};

const allowed = { decision: 'allow', on: 'tool', pattern: 'terminal' } as const;
/** Lets commands run unasked, but asks about what the sandbox refuses. */
const confirmation = withRules(alwaysConfirm(), [allowed]);

const policy: AskedPolicy = {
  confirmation,
  sandboxOf: ({ workspace, questions }) =>
    openSandbox(walls, { askHost: async (host) => questions.allowsHost(host, workspace) }),
};

describe.skipIf(problem !== undefined)('a person', () => {
  test('lets a refused command run once outside, in a fresh shell in the same directory', async () => {
    const file = join(root, 'written');
    const turns = commands('mkdir sub; cd sub; export SPOILED=1', `cd .. && echo "$PWD $SPOILED" >${file}`, 'pwd');
    const { profiles, results, shown, workspace } = await answered(turns, ['y'], surroundings, policy);
    expect(readFileSync(file, 'utf8')).toBe(`${workspace} \n`);
    expect(profiles).toEqual(['workspace', 'workspace', 'off', 'workspace']);
    const words = shown().replaceAll(/\s+/g, ' ');
    expect(words).toMatch(/Run.+this once outside of it/);
    expect(words).toContain(`│ writing to "${file}"`);
    expect(words).toContain(`May start in ${workspace}/sub,`);
    expect(results[1]).toContain('The user let the command run again outside of it, in a fresh shell');
    // The shell inside is where the command left it there.
    expect(results[2]).toContain(`${workspace}\n`);
  });

  test.for([[['n']], [[]]] as const)('does not, by the answers %j: the refusal is named', async ([answers]) => {
    const file = join(root, 'absent');
    const { profiles, results } = await answered(commands(`echo 1 >${file}`), answers, surroundings, policy);
    expect(existsSync(file)).toBe(false);
    expect(profiles).toEqual(['workspace']);
    expect(results[0]).toContain(
      `[The sandbox (profile workspace) may have refused writing to "${file}", which the output names.]`,
    );
  });

  test('is not asked about a command that succeeds', async () => {
    const { asked, results } = await answered(commands(`touch ${root}/x || true`), [], surroundings, policy);
    expect(asked()).toBe(0);
    expect(results[0]).toContain(`refused writing to "${root}/x"`);
  });

  test('is not asked whether a command that a deny rule may match runs outside', async () => {
    const file = join(root, 'denied');
    const denied = { decision: 'deny', on: 'command', pattern: 'touch' } as const;
    const { asked, profiles, results } = await answered(
      commands(`for name in ${file}; do touch $name; done`),
      ['y', 'y'],
      surroundings,
      { ...policy, confirmation: withRules(alwaysConfirm(), [allowed, denied]) },
    );
    // About the call itself, because a script is not read.
    expect([asked(), profiles, existsSync(file)]).toEqual([1, ['workspace'], false]);
    expect(results[0]).toContain(`refused writing to "${file}"`);
  });

  test('is not asked whether a command to which a deny rule refused something runs outside', async () => {
    await using server = createServer((_, response) => response.end('answer'));
    await once(server.listen(0, '127.0.0.1'), 'listening');
    const address = server.address();
    const url = `http://localhost:${typeof address === 'object' ? address?.port : 0}`;
    const { asked, results } = await answered(
      commands(`curl -sS --fail --noproxy '' -x "$HTTP_PROXY" ${url}`),
      ['y'],
      surroundings,
      {
        confirmation,
        sandboxOf: () => openSandbox({ ...walls, network: { allowed: [], denied: ['localhost'] } }),
      },
    );
    expect(asked()).toBe(0);
    expect(results[0]).toContain('refused the network host localhost. A rule denies this.');
  });

  test.for([
    ['y', 'answer', []],
    ['a', 'answer', [{ decision: 'allow', on: 'host', pattern: 'localhost' }]],
    ['n', 'refused the network host localhost', []],
  ] as const)('is asked about a host once, and answers %s', async ([answer, expected, rules]) => {
    await using server = createServer((_, response) => response.end('answer'));
    await once(server.listen(0, '127.0.0.1'), 'listening');
    const address = server.address();
    const url = `http://localhost:${typeof address === 'object' ? address?.port : 0}`;
    const request = `curl -sS --noproxy '' -x "$HTTP_PROXY" ${url}`;
    const turns = commands(`${request}; ${request}`, request);
    const { asked, results, workspace } = await answered(turns, [answer], surroundings, policy);
    expect(asked()).toBe(1);
    expect(results.slice(0, 2).map((text) => text.includes(expected))).toEqual([true, true]);
    const stored = await permissionStore(join(root, 'home')).list(workspace);
    expect(stored.map(({ rule }) => rule)).toEqual(rules);
  });

  test.for([
    ['y', 'The user has opened it in the meantime', 'answer'],
    ['n', 'may have refused the port', 'may have refused the port'],
  ] as const)(
    'is asked about a port of this machine, not about outside, and answers %s',
    async ([answer, first, next]) => {
      await using server = createServer((_, response) => response.end('answer'));
      await once(server.listen(0, '127.0.0.1'), 'listening');
      const address = server.address();
      const request = `curl -sS http://localhost:${typeof address === 'object' ? address?.port : 0}`;
      // The sandbox begins to listen after the answer.
      const again = answer === 'y' ? `${request} --retry 9 --retry-connrefused` : request;
      const { asked, profiles, results } = await answered(commands(request, again), [answer], surroundings, policy);
      expect([asked(), profiles]).toEqual([1, ['workspace', 'workspace']]);
      expect([results[0], results[1]]).toEqual([expect.stringContaining(first), expect.stringContaining(next)]);
    },
  );
});
