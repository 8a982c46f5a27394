import { spawn } from 'node:child_process';
import { once } from 'node:events';
import { readdir, readFile, writeFile } from 'node:fs/promises';
import { dirname, join } from 'node:path';
import { fileURLToPath } from 'node:url';
import { redactor } from '@varve/text';
import { describe, expect, test } from 'vitest';
import { metadataOf, backends, openTerminal as open, outputOf, callUntil } from '../support/open-terminal.ts';
import { isRunning, printedPid } from '../support/is-running.ts';
import { terminal } from '../../src/terminal/terminal.ts';

describe.for(backends)('a terminal on a %s', ([, pty]) => {
  test('reset starts over in the workspace', async () => {
    await using shell = await open(pty);
    const first = await shell.call({ command: 'cd /; A=1; sleep 60', timeout: 0.1 });
    const reset = await shell.call({ command: '', reset: true });
    expect(reset).toMatchObject({ command: '[RESET]', exit_code: 0, is_error: false });
    await expect.poll(() => isRunning(metadataOf(first).pid), { interval: 10, timeout: 10_000 }).toBe(false);
    expect(outputOf(await shell.call({ command: 'echo "$A$PWD"' }))).toBe(shell.workspace);
  });

  test('reset with a command runs it in a fresh shell, repeatedly', async () => {
    await using shell = await open(pty);
    for (const number of [1, 2]) {
      const observation = await shell.call({ command: `echo $A ${number}; A=1`, reset: true, timeout: 20 });
      expect(observation).toMatchObject({ command: `[RESET] echo $A ${number}; A=1`, exit_code: 0 });
      expect(outputOf(observation)).toBe(String(number));
    }
  });

  test('reset with is_input is refused', async () => {
    await using shell = await open(pty);
    expect(await shell.call({ command: 'x', reset: true, is_input: true })).toMatchObject({ is_error: true });
  });

  test('exit is reported, and the next command has a new shell in the same directory', async () => {
    await using shell = await open(pty);
    const ended = await shell.call({ command: 'mkdir sub; cd sub; echo before; exit 7' });
    expect(ended).toMatchObject({ is_error: true, exit_code: 7 });
    expect(outputOf(ended)).toContain('before');
    await shell.call({ command: 'cd sub' });
    const ended2 = await shell.call({ command: 'exit 8' });
    expect(ended2).toMatchObject({ exit_code: 8 });
    expect(outputOf(await shell.call({ command: 'echo alive' }))).toBe('alive');
  });

  test('a bash that a command starts does not read the startup file of the user', async () => {
    await using shell = await open(pty);
    await shell.call({ command: 'export HOME=$PWD; echo "echo startup" > .bashrc' });
    expect(outputOf(await shell.call({ command: 'echo $(bash -c "echo ran")' }))).toBe('ran');
  });

  test('a restarted shell has the variables, functions and aliases of before the command that ended it, and no others', async () => {
    await using shell = await open(pty, { env: { GONE: 'x' } });
    await shell.call({
      command: `export A='1 "2'; B=plain; unset GONE; f() { echo f; }; export -f f; shopt -s extglob; alias g='echo $(bash -c f)'`,
      timeout: 60,
    });
    const ended = await shell.call({ command: 'export C=late; exit 3', timeout: 60 });
    expect(metadataOf(ended).suffix).toContain('of before that command are there again');
    const command = `echo "$A|$B|$C|$GONE|$(g)"`;
    expect(outputOf(await shell.call({ command, timeout: 60 }))).toBe('1 "2|plain|||f');
    await shell.call({ command: 'kill -9 $$', timeout: 60 });
    expect(outputOf(await shell.call({ command, timeout: 60 }))).toBe('1 "2|plain|||f');
    expect(outputOf(await shell.call({ command: 'echo "$A|$GONE"', reset: true, timeout: 60 }))).toBe('|x');
  });

  test('a shell that ended between calls restarts with its variables, and its end is reported', async () => {
    await using shell = await open(pty, { maxShells: 1 });
    const { pid } = metadataOf(await shell.call({ command: 'export A=1', timeout: 60 }));
    process.kill(pid, 'SIGKILL');
    const suffix = async (): Promise<string> => metadataOf(await shell.call({ command: '', timeout: 60 })).suffix;
    await expect.poll(suffix, { interval: 10, timeout: 20_000 }).toContain('are there again');
    expect(outputOf(await shell.call({ command: 'echo "$A"', timeout: 60 }))).toBe('1');
  });

  test('a shell that does not start with the state of the last one starts without it, also if none were stored', async () => {
    await using shell = await open(pty, { env: { OWN: 'x' } });
    await shell.call({ command: 'export A=1; declare() { exit 3; }; export -f declare', timeout: 60 });
    await shell.call({ command: 'exit', timeout: 60 });
    expect(outputOf(await shell.call({ command: 'echo "$A$OWN"', timeout: 60 }))).toBe('x');
    await shell.call({ command: 'export A=1; ulimit -f 0', timeout: 60 });
    const ended = await shell.call({ command: 'exit', timeout: 60 });
    expect(metadataOf(ended).suffix).not.toContain('there again');
    expect(outputOf(await shell.call({ command: 'echo "$A$OWN"', timeout: 60 }))).toBe('x');
  });

  test('the end of the shell by set -e is reported', async () => {
    await using shell = await open(pty);
    expect(await shell.call({ command: 'set -e; false' })).toMatchObject({ is_error: true, exit_code: 1 });
    expect(outputOf(await shell.call({ command: 'false; echo alive' }))).toBe('alive');
  });

  test('set -e and set -u persist without breaking the session', async () => {
    await using shell = await open(pty);
    await shell.call({ command: 'set -eu' });
    expect(outputOf(await shell.call({ command: 'if false; then :; fi; echo alive' }))).toBe('alive');
    expect(outputOf(await shell.call({ command: 'echo again' }))).toBe('again');
  });

  test.for([
    ['set -e, set -u and pipefail in one call', 'set -euo pipefail; cd /; false | cat; echo no', 1],
    ['exit in a condition', '[[ -z $V ]] || exit 3', 3],
    ['the vi mode of the line editor, which ends bash', 'set -o vi', 139],
    ['the emacs mode of the line editor', 'shopt -so emacs', 139],
    ['a program in place of the shell', 'exec true', 0],
  ] as const)('variables and functions survive %s', async ([, command, exitCode]) => {
    await using shell = await open(pty);
    await shell.call({
      command: 'mkdir sub; cd sub; V=kept; a=(1 "2 3"); declare -A m=([k]=v); f() { echo "$V ${a[1]}"; }',
    });
    expect(await shell.call({ command })).toMatchObject({ exit_code: exitCode });
    expect(outputOf(await shell.call({ command: 'f; false; echo "${m[k]} ${PWD##*/} $-"' }))).toMatch(
      /^kept 2 3\nv sub [^eu]*$/,
    );
  });

  test('an editor that git opens keeps the text and returns', async () => {
    await using shell = await open(pty, { inherit: { ...process.env, EDITOR: 'vi', VISUAL: 'vi', GIT_EDITOR: 'vi' } });
    const commit = 'git -c user.name=a -c user.email=a@b commit -q --allow-empty';
    const command = `git init -q . && ${commit} -m first && ${commit} --amend; git log --format=%s; ${commit}`;
    const observation = await shell.call({ command, timeout: 60 });
    expect(observation).toMatchObject({ exit_code: 1 });
    expect(outputOf(observation)).toMatch(/^first\n.*empty commit message/);
  });

  test('functions with the names of builtins do not break the session', async () => {
    await using shell = await open(pty);
    const functions = ['local', 'printf', 'read', 'return', 'unset'].map((name) => `${name}() { false; }`);
    expect(await shell.call({ command: functions.join('; '), timeout: 20 })).toMatchObject({ exit_code: 0 });
    expect(outputOf(await shell.call({ command: 'echo alive', timeout: 20 }))).toBe('alive');
  });

  test('a killed shell is reported with exit code 137', async () => {
    await using shell = await open(pty);
    expect(await shell.call({ command: 'kill -9 $$' })).toMatchObject({ is_error: true, exit_code: 137 });
    expect(outputOf(await shell.call({ command: 'echo alive' }))).toBe('alive');
  });

  test('a program that replaces the shell ends the shell', async () => {
    await using shell = await open(pty);
    expect(await shell.call({ command: 'exec sh -c "exit 4"' })).toMatchObject({ is_error: true, exit_code: 4 });
  });

  test('the directory of the shell may be removed', async () => {
    await using shell = await open(pty);
    await shell.call({ command: 'mkdir gone; cd gone; rmdir ../gone' });
    expect(outputOf(await shell.call({ command: 'echo alive' }))).toBe('alive');
    await shell.call({ command: 'exit' });
    expect(metadataOf(await shell.call({ command: 'true' })).working_dir).toBe(shell.workspace);
  });

  test.for([
    ['a shell that ends on SIGHUP', ''],
    ['a shell that ignores it', `trap '' HUP; `],
  ] as const)('closing ends %s, a stubborn program in its foreground, and the call that waits', async ([, first]) => {
    await using shell = await open(pty);
    const outputSeen = Promise.withResolvers<void>();
    let text = '';
    const onOutput = (chunk: string): void => {
      text += chunk;
      if (/^\d+\s+\d+\s/.test(text)) outputSeen.resolve();
    };
    const command = `${first}echo $BASHPID; sh -c 'trap "" HUP; echo $$; while :; do sleep 0.05; done'`;
    const call = shell.call({ command, timeout: 60 }, { onOutput });
    await outputSeen.promise;
    const pids = text.trim().split(/\s+/).map(printedPid);
    expect(pids.filter(isRunning)).toEqual(pids);
    await shell.tool.close();
    expect(await call).toMatchObject({ is_error: true });
    await expect.poll(() => pids.filter(isRunning), { interval: 10, timeout: 20_000 }).toEqual([]);
  });

  test('a call waiting for its turn when the terminal is closed starts no shell', async () => {
    await using shell = await open(pty, { maxShells: 1 });
    const outputSeen = Promise.withResolvers<void>();
    const running = shell.call(
      { command: 'echo up; sleep 600', timeout: 600 },
      { onOutput: () => outputSeen.resolve() },
    );
    const waiting = Promise.allSettled([shell.call({ command: 'true' })]);
    await outputSeen.promise;
    await shell.tool.close();
    expect(await running).toMatchObject({ is_error: true });
    expect(await waiting).toMatchObject([{ reason: { code: 'closed' } }]);
  });

  test('a call whose shell is starting when the terminal is closed runs nothing', async () => {
    await using shell = await open(pty);
    const [refused] = await Promise.allSettled([shell.call({ command: 'touch file' }), shell.tool.close()]);
    expect(refused).toMatchObject({ reason: { code: 'closed' } });
    expect(await readdir(shell.workspace)).toEqual([]);
  });

  test('a call whose shell does not start ends when it is cancelled, or when the terminal is closed', async () => {
    await using programs = await open(pty);
    const silent = join(programs.workspace, 'silent-shell');
    await writeFile(silent, '#!/bin/sh\n: > started\nexec sleep 600\n', { mode: 0o755 });
    for (const code of ['aborted', 'closed']) {
      await using shell = await open(pty, { shell: silent });
      const controller = new AbortController();
      const call = Promise.allSettled([shell.call({ command: 'true' }, { signal: controller.signal })]);
      await expect.poll(() => readdir(shell.workspace), { interval: 10, timeout: 20_000 }).toEqual(['started']);
      if (code === 'aborted') controller.abort();
      else await shell.tool.close();
      expect(await call).toMatchObject([{ reason: { code } }]);
    }
  });

  test('a call that is cancelled while its secrets are looked up runs nothing', async () => {
    const controller = new AbortController();
    const secrets = (command: string): Record<string, string> => {
      if (command === 'touch file') controller.abort();
      return {};
    };
    await using shell = await open(pty, { secrets });
    await shell.call({ command: 'true', timeout: 20 });
    const call = shell.call({ command: 'touch file' }, { signal: controller.signal });
    await expect(call).rejects.toMatchObject({ code: 'aborted' });
    expect(outputOf(await shell.call({ command: 'ls', timeout: 20 }))).toBe('');
  });

  test('files that commands remove from the temporary directory are created again', async () => {
    await using shell = await open(pty, { maxOutputChars: 1000 });
    const remove = String.raw`d=$(dirname "$(ps -o args= -p $$ | sed 's/.*--rcfile \([^ ]*\).*/\1/')"); rm -r "$d"`;
    const observation = await shell.call({ command: `${remove}; seq 500; rm -rf "$d"; seq 500`, timeout: 20 });
    expect(outputOf(observation)).toContain('left out');
    expect(outputOf(await shell.call({ command: 'echo "${d:+alive}"', timeout: 20 }))).toBe('alive');
    expect(outputOf(await shell.call({ command: 'echo alive', reset: true, timeout: 20 }))).toBe('alive');
  });

  test('a dead shell can be closed', async () => {
    await using shell = await open(pty);
    const observation = await shell.call({ command: 'true' });
    process.kill(metadataOf(observation).pid, 'SIGKILL');
    await expect(shell.tool.close()).resolves.toBeUndefined();
  });

  test('the shell has the public variables of its host, and those that the caller names', async () => {
    const inherit = {
      PATH: process.env['PATH'],
      LANGUAGE: 'en',
      LLM_API_KEY: 'a',
      GITHUB_TOKEN: 'b',
      my_secret: 'c',
      TOKENS: '3',
      PAGER: 'less',
    };
    await using shell = await open(pty, {
      inherit,
      inheritNames: ['my_secret', 'ABSENT', 'BASH_ENV'],
      env: { OPENAI_API_KEY: 'wanted', PS9: '1' },
    });
    const command = 'echo "$LANGUAGE|$LLM_API_KEY|$GITHUB_TOKEN|$my_secret|$TOKENS|$PAGER|$OPENAI_API_KEY|$PS9"';
    expect(outputOf(await shell.call({ command }))).toBe('en|||c||cat|wanted|1');
  });

  test('an environment of 2 000 variables and 300 KB is passed to the shell', async () => {
    const env = Object.fromEntries(Array.from({ length: 2000 }, (_, index) => [`VARIABLE_${index}`, 'x'.repeat(150)]));
    await using shell = await open(pty, { env });
    expect(outputOf(await shell.call({ command: 'env | grep -c ^VARIABLE_' }))).toBe('2000');
  });

  test('both ends of long output are shown, with the path of the whole output', async () => {
    await using shell = await open(pty);
    const observation = await shell.call({ command: 'seq 1 50000', timeout: 20 });
    const text = outputOf(observation);
    expect(text.length).toBeLessThanOrEqual(30_000);
    expect(text.startsWith('1\n2\n3\n')).toBe(true);
    expect(text.endsWith('\n49999\n50000')).toBe(true);
    const path = /whole output is in (\S+)\]/.exec(text)?.[1] ?? '';
    expect(observation['full_output_save_dir']).toBe(dirname(path));
    expect((await readFile(path, 'utf8')).split('\n')).toHaveLength(50_001);
    expect(metadataOf(observation).suffix).toContain('finished');
  });

  test('output of exactly the limit is not truncated', async () => {
    await using shell = await open(pty, { maxOutputChars: 1000 });
    expect(outputOf(await shell.call({ command: 'printf "%01000d" 0' }))).toBe('0'.repeat(1000));
    const cut = outputOf(await shell.call({ command: 'printf "%01001d" 0' }));
    expect(cut.length).toBeGreaterThan(990);
    expect(cut.length).toBeLessThanOrEqual(1000);
    expect(cut).toContain('left out');
  });

  test('secrets are masked before output is truncated and saved', async () => {
    await using shell = await open(pty, {
      maxOutputChars: 1000,
      redactor: redactor(['swordfish'], { replacement: '***' }),
    });
    const observation = await shell.call({ command: 'for i in $(seq 500); do echo swordfish; done', timeout: 20 });
    const path = /whole output is in (\S+)\]/.exec(outputOf(observation))?.[1] ?? '';
    expect(`${outputOf(observation)}${await readFile(path, 'utf8')}`).not.toContain('fish');
  });

  test('the text of a full-screen program is shown, and a key ends it', async () => {
    await using shell = await open(pty, { noChangeTimeoutMs: 300, env: { LESSHISTFILE: '-' } });
    await writeFile(join(shell.workspace, 'page'), Array.from({ length: 200 }, (_, line) => `line ${line}\n`).join(''));
    const program = pty ? 'less page' : 'cat page; cat > /dev/null';
    await callUntil(shell, { command: program }, 'line 10\n');
    expect(await shell.call({ command: pty ? 'TEXT:q' : 'C-d', is_input: true, timeout: 20 })).toMatchObject({
      exit_code: 0,
    });
  });
});

describe('a shell that cannot start', () => {
  test('a shell that is not executable is unusable', async () => {
    await using shell = await open(false, { shell: '/etc/passwd' });
    await expect(shell.call({ command: 'true' })).rejects.toMatchObject({ code: 'unusable' });
  });

  test.for(backends)('a program that is not bash is unusable, on a %s', async ([, pty]) => {
    await using shell = await open(pty, { shell: '/bin/true' });
    await expect(shell.call({ command: 'true' })).rejects.toMatchObject({ code: 'unusable' });
  });

  test('bash is found when the search path is empty, and again after a reset', async () => {
    await using shell = await open(false, { inherit: { PATH: '' } });
    expect(outputOf(await shell.call({ command: 'echo found' }))).toBe('found');
    expect(outputOf(await shell.call({ command: 'echo again', reset: true }))).toBe('again');
  });

  test('without a temporary directory a call fails, the next one tries again, and the terminal can be closed', async () => {
    await using shell = await open(false);
    await using other = await open(false);
    const before = process.env['TMPDIR'];
    const call = (): unknown => shell.call({ command: 'echo there', timeout: 20 });
    try {
      process.env['TMPDIR'] = join(shell.workspace, 'missing');
      await expect(call()).rejects.toMatchObject({ code: 'unusable' });
      await expect(other.call({ command: 'true' })).rejects.toMatchObject({ code: 'unusable' });
    } finally {
      if (before === undefined) delete process.env['TMPDIR'];
      else process.env['TMPDIR'] = before;
    }
    expect(await call()).toMatchObject({ exit_code: 0 });
    await other.tool.close();
  });

  test('an environment name that is not an identifier is rejected', () => {
    expect(() => terminal({ env: { 'a-b': 'x' } })).toThrow('The environment name a-b is not an identifier.');
  });
});

test('on a pty, no shell and no foreground program outlives a killed host', async () => {
  await using shell = await open(true);
  const host = join(shell.workspace, 'host.ts');
  const module = fileURLToPath(new URL('../../src/terminal/terminal.ts', import.meta.url));
  await writeFile(
    host,
    `import { terminal } from ${JSON.stringify(module)};
const tool = terminal({ pty: true });
const context = { workspace: '/', signal: new AbortController().signal, idempotencyKey: 'host' };
void tool.execute(tool.parse({ command: 'echo $$; sh -c "echo \\\\$\\\\$; exec sleep 60"', timeout: 60 }), {
  ...context,
  onOutput: (chunk) => process.stdout.write(chunk),
});
`,
  );
  const child = spawn(process.execPath, ['--conditions=@varve/source', host], { stdio: ['ignore', 'pipe', 'inherit'] });
  let text = '';
  for await (const chunk of child.stdout) {
    text += String(chunk);
    if (/^\d+\s+\d+\s/.test(text)) break;
  }
  const pids = text.trim().split(/\s+/).map(Number);
  expect(pids.filter(isRunning)).toEqual(pids);
  child.kill('SIGKILL');
  await once(child, 'exit');
  await expect.poll(() => pids.filter(isRunning), { interval: 10, timeout: 20_000 }).toEqual([]);
});
