import { readdir, writeFile } from 'node:fs/promises';
import { join } from 'node:path';
import type { Observation } from '@varve/events/payloads';
import { describe, expect, test } from 'vitest';
import { isRunning, printedPid } from '../../test/support/is-running.ts';
import { metadataOf, backends, openTerminal, outputOf, callUntil } from '../../test/support/open-terminal.ts';
import type { OpenedTool } from '../testing/opened-tool.ts';
import { isComplete } from './session/startup-file.ts';
import { namedSecrets } from './terminal-options.ts';

const timeout = 60;

/**
 * Returns a command that prints its shell and ends when `count` files `met…` exist, so that only concurrent commands
 * end.
 */
const meet = (name: string, count: number): string =>
  `echo "$PWD,$V"; touch met${name}; until [ "$(ls met* | wc -l)" -ge ${count} ]; do sleep 0.01; done`;

/** Returns a shell command that waits for the file `name`. */
const until = (name: string): string => `until [ -e ${name} ]; do sleep 0.01; done`;

const keys = ({ tool }: OpenedTool, input: object): unknown => tool.resources(tool.parse(input));

const together = (shell: OpenedTool, commands: readonly string[]): Promise<readonly Observation[]> =>
  Promise.all(commands.map((command) => shell.call({ command, timeout })));

/** Starts a call and resolves when its command has written output. */
async function startCommand(shell: OpenedTool, command: string): Promise<{ readonly ended: Promise<Observation> }> {
  const outputSeen = Promise.withResolvers<void>();
  const ended = shell.call({ command: `echo begun; ${command}`, timeout }, { onOutput: () => outputSeen.resolve() });
  await outputSeen.promise;
  return { ended };
}

describe.for(backends)('the shells of a terminal on a %s', ([, pty]) => {
  test('three concurrent commands run in parallel, each in a separate shell', async () => {
    await using shell = await openTerminal(pty);
    const all = await together(
      shell,
      ['1', '2', '3'].map((name) => meet(name, 3)),
    );
    expect(all.map((observation) => observation['exit_code'])).toEqual([0, 0, 0]);
    expect(new Set(all.map((observation) => metadataOf(observation).pid)).size).toBe(3);
  });

  test('the main shell keeps its state while secondary shells run, and each of those starts with it', async () => {
    await using shell = await openTerminal(pty);
    await shell.call({ command: 'mkdir usr; cd usr; export V=one; W=hidden' });
    const where = `${join(shell.workspace, 'usr')},one`;
    const secondary = ['1', '2', '3'].map((name) => `${meet(name, 3)}; echo "[$W]"; cd /; export V=${name}; W=x`);
    const all = await together(shell, secondary);
    expect(all.map(outputOf)).toEqual([`${where}\n[hidden]`, `${where}\n[hidden]`, `${where}\n[hidden]`]);
    const pids = new Set<number>();
    for (const _ of [1, 2, 3, 4]) {
      const observation = await shell.call({ command: 'echo "$PWD,$V,$W"' });
      expect(outputOf(observation)).toBe('/,1,x');
      pids.add(metadataOf(observation).pid);
    }
    expect([...pids]).toEqual([metadataOf(all[0] ?? { kind: '', content: [], is_error: false }).pid]);
  });

  test('the main shell is polled, receives input and refuses commands while secondary shells run', async () => {
    await using shell = await openTerminal(pty, { noChangeTimeoutMs: 200 });
    await together(shell, [meet('1', 2), meet('2', 2)]);
    const asked = await shell.call({ command: 'echo question; read -r answer; echo "got $answer"' });
    expect(asked).toMatchObject({ exit_code: -1 });
    const refused = await together(shell, ['echo one', 'echo two']);
    for (const observation of refused)
      expect(observation).toMatchObject({ is_error: true, metadata: { exit_code: -1 } });
    expect(await shell.call({ command: '', timeout: 0 })).toMatchObject({ exit_code: -1, is_error: false });
    const answered = await callUntil(shell, { command: 'yes', is_input: true }, 'got yes');
    expect(answered.text).toContain('got yes');
  });

  test('a secondary shell that has ended leaves no files', async () => {
    await using shell = await openTerminal(pty);
    const [first] = await together(
      shell,
      ['1', '2', '3'].map((name) => meet(name, 3)),
    );
    expect(first).toMatchObject({ exit_code: 0 });
    const directory = outputOf(await shell.call({ command: 'echo "$VARVE_TERMINAL"', timeout }));
    await expect
      .poll(() => readdir(directory), { interval: 10, timeout: 20_000 })
      .toEqual([expect.stringMatching(/^[123]$/), 'outputs', 'owner']);
  });

  test('a secondary shell starts with the variables of the main shell, without unset ones and without secrets', async () => {
    await using shell = await openTerminal(pty, {
      env: { GONE: 'x', QUOTED: 'a\'b"c\n$(d)`e`\\f' },
      secrets: namedSecrets({ KEY: 'swordfish' }),
    });
    await shell.call({ command: 'unset GONE; export SET=1; f() { echo "f$1"; }; export -f f; echo $KEY', timeout });
    const { ended } = await startCommand(shell, until('go'));
    const command = `printf %s "$GONE|$SET|\${!K*}|$(bash -c 'f 2')|$QUOTED"; touch go`;
    const secondary = await shell.call({ command, timeout });
    expect(outputOf(secondary)).toBe('|1||f2|a\'b"c\n$(d)`e`\\f');
    await ended;
  });

  test('a command left running in a secondary shell is polled, answered and stopped by the name of its shell', async () => {
    await using shell = await openTerminal(pty);
    const { ended } = await startCommand(shell, until('go'));
    const left = await shell.call({ command: 'read -r a; echo "got $a"; read -r b', timeout: 0.01 });
    expect(metadataOf(left).suffix).toContain('`SHELL2:C-c`');
    let text = outputOf(await shell.call({ command: 'SHELL2:yes', is_input: true, timeout: 0.01 }));
    while (!text.includes('got yes'))
      text += outputOf(await shell.call({ command: 'SHELL2:', is_input: true, timeout: 0.01 }));
    expect(await shell.call({ command: 'SHELL2:', is_input: true, timeout: 0 })).toMatchObject({ exit_code: -1 });
    const stopped = await shell.call({ command: 'SHELL2:C-c', is_input: true, timeout });
    expect(stopped).toMatchObject({ exit_code: 130, metadata: { pid: metadataOf(left).pid } });
    expect(await shell.call({ command: 'SHELL2:', is_input: true })).toMatchObject({ is_error: true });
    await writeFile(join(shell.workspace, 'go'), '');
    expect(await ended).toMatchObject({ exit_code: 0 });
    await expect.poll(() => isRunning(metadataOf(left).pid), { interval: 10, timeout: 20_000 }).toBe(false);
  });

  test('a shell that cannot write files survives, and secondary shells start with the environment of the terminal', async () => {
    await using shell = await openTerminal(pty, { env: { OWN: 'x' } });
    const limited = await shell.call({ command: 'export SET=1; ulimit -f 0', timeout });
    expect(limited).toMatchObject({ exit_code: 0, is_error: false });
    const { ended } = await startCommand(shell, until('go'));
    const secondary = await shell.call({ command: 'echo "$OWN$SET"', timeout });
    await writeFile(join(shell.workspace, 'go'), '');
    expect(metadataOf(await ended).pid).toBe(metadataOf(limited).pid);
    expect(outputOf(secondary)).toBe('x');
  });

  test('a reset applies to the main shell: with the name of another shell it is refused', async () => {
    await using shell = await openTerminal(pty);
    const { ended } = await startCommand(shell, until('go'));
    const left = await shell.call({ command: `${until('go')}; echo unharmed`, timeout: 0.01 });
    const refused = await shell.call({ command: 'SHELL2:', is_input: true, reset: true, timeout });
    expect(refused).toMatchObject({ is_error: true, metadata: { exit_code: -1 } });
    expect(isRunning(metadataOf(left).pid)).toBe(true);
    await writeFile(join(shell.workspace, 'go'), '');
    expect(outputOf(await shell.call({ command: 'SHELL2:', is_input: true, timeout }))).toBe('unharmed');
    await ended;
  });

  test('a poll without a name reads the only running command, or the main shell if that has output', async () => {
    await using shell = await openTerminal(pty);
    const { ended } = await startCommand(shell, until('go'));
    const left = await shell.call({ command: `${until('go')}; echo secondary`, timeout: 0.01 });
    await writeFile(join(shell.workspace, 'go'), '');
    await ended;
    const polled = await shell.call({ command: '', timeout });
    expect([outputOf(polled), metadataOf(polled).pid]).toEqual(['secondary', metadataOf(left).pid]);
    await shell.call({ command: 'sleep 0.05; echo main', timeout: 0 });
    expect(outputOf(await shell.call({ command: '', timeout }))).toBe('main');
  });

  test('further commands wait for the main shell when all shells are in use', async () => {
    await using shell = await openTerminal(pty, { maxShells: 2 });
    const { ended } = await startCommand(shell, until('go'));
    const secondary = shell.call({ command: `touch secondary; ${until('go')}`, timeout });
    const waiting = shell.call({ command: 'touch waited; echo $PPID', timeout });
    await expect.poll(() => readdir(shell.workspace), { interval: 10, timeout: 20_000 }).toEqual(['secondary']);
    await writeFile(join(shell.workspace, 'go'), '');
    const [first, second, third] = await Promise.all([ended, secondary, waiting]);
    expect(metadataOf(second).pid).not.toBe(metadataOf(first).pid);
    expect(metadataOf(third).pid).toBe(metadataOf(first).pid);
  });

  test('a program left in the background keeps its secondary shell until the terminal is closed', async () => {
    await using shell = await openTerminal(pty);
    const { ended } = await startCommand(shell, until('go'));
    const secondary = await shell.call({ command: 'sleep 600 > /dev/null & echo $!; touch go', timeout });
    await ended;
    const pids = [printedPid(/\d+$/.exec(outputOf(secondary))?.[0] ?? ''), metadataOf(secondary).pid];
    expect(pids.filter(isRunning)).toEqual(pids);
    await shell.tool.close();
    await expect.poll(() => pids.filter(isRunning), { interval: 10, timeout: 20_000 }).toEqual([]);
  });

  test('closing ends every shell and the programs in it', async () => {
    await using shell = await openTerminal(pty);
    const { ended } = await startCommand(shell, until('never'));
    const secondary = await startCommand(shell, until('never'));
    await shell.tool.close();
    const both = await Promise.all([ended, secondary.ended]);
    expect(both).toMatchObject([{ is_error: true }, { is_error: true }]);
    const pids = both.map((result) => metadataOf(result).pid);
    await expect.poll(() => pids.filter(isRunning), { interval: 10, timeout: 20_000 }).toEqual([]);
  });

  test('a cancelled call in a secondary shell ends its command and not that of the main shell', async () => {
    await using shell = await openTerminal(pty);
    const { ended } = await startCommand(shell, until('go'));
    const controller = new AbortController();
    const onOutput = (): void => controller.abort();
    await shell
      .call({ command: 'echo up; exec sleep 600', timeout }, { signal: controller.signal, onOutput })
      .catch(() => undefined);
    await writeFile(join(shell.workspace, 'go'), '');
    expect(await ended).toMatchObject({ exit_code: 0 });
  });
});

test('commands exclude no calls, and other calls exclude those of the same shell, unless there is only one shell', async () => {
  await using many = await openTerminal(false);
  await using first = await openTerminal(false, { maxShells: 1 });
  expect(keys(many, { command: 'ls' })).toEqual([]);
  expect(keys(first, { command: 'ls' })).toEqual(['terminal:session']);
  for (const input of [{ command: '' }, { command: 'y', is_input: true }, { command: 'ls', reset: true }])
    expect(keys(many, input)).toEqual(['terminal:session']);
  expect(keys(many, { command: 'SHELL3:y', is_input: true })).toEqual(['terminal:session-3']);
  expect(many.tool.description).toContain('at the same time');
  expect(first.tool.description).not.toContain('at the same time');
});

test('an incompletely written state is not used', () => {
  expect(isComplete("declare -x A='1'\n# That is all.\n")).toBe(true);
  expect(isComplete("declare -x A='1'\n# That is")).toBe(false);
  expect(isComplete('')).toBe(false);
});
