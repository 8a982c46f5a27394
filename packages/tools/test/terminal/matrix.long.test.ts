import { execFileSync } from 'node:child_process';
import { describe, expect, test } from 'vitest';
import { backends, openTerminal, outputOf } from '../support/open-terminal.ts';
import { faultsAfter, replacements } from '../support/replaced-files.ts';
import { nextCommand, sessionVariables } from '../support/session-names.ts';
import { slips } from '../support/slips.ts';

const timeout = 60;

/** Commands of every shape, with their output and exit code. */
const followers = [
  ['echo "a  b"', 'a  b', 0],
  ["echo it\\'s; false", "it's", 1],
  ['{ echo a; } && [[ -n $V ]] && echo b', 'a\nb', 0],
  ['for i in 1 2; do\n  echo $i\ndone; (exit 7)', '1\n2', 7],
  ['cat <<EOF\nit\'s "$V"\nEOF', 'it\'s "kept"', 0],
  ['x=(1 2); case ${#x[@]} in 2) echo two ;; esac', 'two', 0],
  ['[[ a == a ]] && echo c', 'c', 0],
  ['echo in esac } ]] do', 'in esac } ]] do', 0],
  ['# nothing', '', 0],
  ['! echo `echo $PWD`', '/usr', 1],
] as const;

/** Every builtin of bash, except those that the checks themselves use. */
const builtins = execFileSync('bash', ['-c', 'compgen -b'])
  .toString()
  .split('\n')
  .filter((name) => name !== '' && !['builtin', 'enable', 'exit', 'printf', 'unset'].includes(name));

describe.for(backends)('a terminal on a %s', ([, pty]) => {
  test('every incomplete command is followed by every shape of command', { timeout: 120_000 }, async () => {
    await using shell = await openTerminal(pty);
    await shell.call({ command: 'cd /usr; V=kept', timeout });
    for (const slip of slips) {
      for (const [command, output, code] of followers) {
        await shell.call({ command: slip, timeout });
        const next = await shell.call({ command, timeout });
        expect([slip, command, outputOf(next), next['exit_code']]).toEqual([slip, command, output, code]);
      }
    }
  });

  test('no builtin that is a function, an alias or disabled costs a later command', { timeout: 120_000 }, async () => {
    await using shell = await openTerminal(pty);
    for (const name of builtins) {
      const functions = [`function ${name} { ${name}; }`, `function ${name} { sleep 600; }; builtin export -f ${name}`];
      const last = `builtin unset -f ${name}; builtin enable ${name}`;
      const aliases = [`alias '${name}=false'`, `\\unalias -a`];
      for (const command of [...aliases, ...functions, `builtin unset -f ${name}; enable -n ${name}`, last])
        expect(await nextCommand(shell, command)).toEqual([command, 'a  b', 3]);
    }
  });

  test.for(replacements)('continues when its files and directories are replaced by %s', async ([, make]) => {
    expect(await faultsAfter(pty, make)).toEqual([]);
  });

  test('no change of a variable of the session costs a later command', { timeout: 120_000 }, async () => {
    await using shell = await openTerminal(pty);
    const ways = ['readonly NAME', 'readonly NAME=8', 'unset -v NAME', 'NAME=', 'NAME=/', 'export NAME=8'];
    const types = ['a', 'A', 'i', 'l', 'u', 'r', 't', 'ri'].map((letters) => `declare -${letters} NAME`);
    for (const name of sessionVariables.filter((sessionVariable) => sessionVariable !== '__varve_id')) {
      for (const way of [...ways, ...types, 'declare -n NAME=HOME']) {
        const command = way.replace('NAME', name);
        expect(await nextCommand(shell, command)).toEqual([command, 'a  b', 3]);
      }
    }
  });
});
