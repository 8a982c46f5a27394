import { readFile } from 'node:fs/promises';
import { join } from 'node:path';
import { describe, expect, test } from 'vitest';
import { nextCommand, sessionFunctions, sessionVariables } from '../support/session-names.ts';
import { backends, metadataOf, openTerminal, outputOf } from '../support/open-terminal.ts';

const timeout = 20;

describe.for(backends)('a terminal on a %s', ([, pty]) => {
  test('no attribute of a variable of the session costs a later command', { timeout: 60_000 }, async () => {
    await using shell = await openTerminal(pty);
    const commands = sessionVariables.flatMap((name) => [`readonly ${name}`, `declare -i ${name}`]);
    for (const command of commands) expect(await nextCommand(shell, command)).toEqual([command, 'a  b', 3]);
  });

  test('the functions of the session cannot be replaced or removed', async () => {
    await using shell = await openTerminal(pty);
    await shell.call({ command: 'V=kept', timeout });
    for (const name of sessionFunctions) {
      for (const command of [`unset -f ${name}`, `${name}() { :; }`, `export -f ${name}`])
        expect(await nextCommand(shell, command)).toEqual([command, 'a  b', 3]);
    }
    expect(outputOf(await shell.call({ command: 'echo $V; export -fp', timeout }))).toBe('kept');
  });

  test.for([':', 'set', 'eval', 'return', 'read'])(
    'the builtin %s may be a function without end, or disabled',
    async (name) => {
      await using shell = await openTerminal(pty);
      for (const command of [`function ${name} { ${name}; }`, `unset -f ${name}; enable -n ${name}`])
        expect(await nextCommand(shell, command)).toEqual([command, 'a  b', 3]);
    },
  );

  test('a command may use every small file descriptor', async () => {
    await using shell = await openTerminal(pty);
    for (const fd of [3, 4, 5, 6, 7, 8, 9])
      expect(await nextCommand(shell, `exec ${fd}>descriptor`)).toEqual([`exec ${fd}>descriptor`, 'a  b', 3]);
    const read = await shell.call({ command: 'echo text >&4; read line; echo "got $line"', timeout: 0.05 });
    const answered = await shell.call({ command: 'answer', is_input: true, timeout });
    expect(outputOf(read) + outputOf(answered)).toBe('got answer');
    expect(await readFile(join(shell.workspace, 'descriptor'), 'utf8')).toBe('text\n');
  });

  test('the directory is that of the shell, whatever PWD contains', async () => {
    await using shell = await openTerminal(pty);
    const directories = [];
    for (const command of ['cd /usr; PWD=/etc', 'unset PWD', 'cd /tmp; PWD='])
      directories.push(metadataOf(await shell.call({ command, timeout })).working_dir);
    expect(directories).toEqual(['/usr', '/usr', '/tmp']);
  });

  test('exported functions with names of builtins do not keep a secondary shell from starting', async () => {
    await using shell = await openTerminal(pty);
    const functions = 'for f in set stty tty type exec readonly; do eval "$f() { sleep 600; }"; export -f $f; done';
    await shell.call({ command: `export E=kept; ${functions}`, timeout });
    const calls = [1, 2].map((number) => shell.call({ command: `sleep 0.01; echo ${number} $E`, timeout }));
    expect((await Promise.all(calls)).map(outputOf)).toEqual(['1 kept', '2 kept']);
  });

  test('a message before commands is not part of their output', async () => {
    await using shell = await openTerminal(pty);
    expect(await nextCommand(shell, `PS0='before '`)).toEqual([`PS0='before '`, 'a  b', 3]);
  });
});
