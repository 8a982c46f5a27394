import fc from 'fast-check';
import { describe, expect, test } from 'vitest';
import type { OpenedTool } from '../../src/testing/opened-tool.ts';
import { slips } from '../support/slips.ts';
import { backends, callUntil, metadataOf, openTerminal, outputOf } from '../support/open-terminal.ts';

const timeout = 60;

/** Text as a model may write it: quotes, brackets and operators in any order. */
const noise = fc
  .array(
    fc.constantFrom(
      ...Array.from(`'"\`$(){}[]\\<>|&;#! \nab1=`),
      'echo ',
      '${x',
      '$((',
      'EOF',
      '<<',
      '<<<',
      'if ',
      'case x in',
    ),
    {
      maxLength: 12,
    },
  )
  .map((parts) => parts.join(''))
  .filter((text) => text.trim() !== '');

/** Sets directory, a variable, a function and a background job, which later commands find unchanged. */
async function prepare({ call }: OpenedTool): Promise<void> {
  await call({ command: 'cd /usr; V=kept; f() { echo "$V in $PWD"; }; sleep 600 & J=$!', timeout });
}

async function expectState({ call }: OpenedTool, after: string): Promise<void> {
  const state = await call({ command: '[[ -n $V ]] && f; kill -0 $J && echo job', timeout });
  expect({ after, state: outputOf(state), code: state['exit_code'] }).toEqual({
    after,
    state: 'kept in /usr\njob',
    code: 0,
  });
}

describe.concurrent.for(backends)('a terminal on a %s', ([, pty]) => {
  test('no incomplete command costs a later one, or the state of the shell', { timeout: 240_000 }, async () => {
    await using shell = await openTerminal(pty);
    await prepare(shell);
    for (const slip of slips) {
      const ended = await shell.call({ command: slip, timeout });
      expect([slip, ended['exit_code'] === -1]).toEqual([slip, false]);
      await expectState(shell, slip);
    }
  });

  test.for([
    ['several lines', 'for i in 1 2; do\n  echo $i\ndone', '1\n2'],
    ['a here-document', 'cat <<EOF\nit\'s "$V"\nEOF', 'it\'s "kept"'],
    ['another incomplete command', 'echo one; echo "two', 'unexpected EOF'],
    ['a compound command', '{ echo a; } && [[ -n $V ]] && echo b', 'a\nb'],
  ] as const)('%s runs after incomplete commands', async ([, command, output]) => {
    await using shell = await openTerminal(pty);
    await prepare(shell);
    for (const slip of ['echo "abc', 'echo `ls ', 'echo ${x', 'echo abc\\', 'cat <<"EOF']) {
      await shell.call({ command: slip, timeout });
      expect(outputOf(await shell.call({ command, timeout }))).toContain(output);
    }
    await expectState(shell, command);
  });

  test('a program started after an incomplete command is polled, answered and interrupted', async () => {
    await using shell = await openTerminal(pty, { noChangeTimeoutMs: 300 });
    await shell.call({ command: 'echo "abc', timeout });
    await callUntil(shell, { command: 'echo first?; read a; echo "got $a"; sleep 600', timeout: 0.1 }, 'first?');
    await callUntil(shell, { command: "it's", is_input: true }, "got it's");
    let ended = await shell.call({ command: 'C-c', is_input: true, timeout: 1 });
    while (ended['exit_code'] === -1) ended = await shell.call({ command: 'C-c', is_input: true, timeout: 1 });
    expect(ended).toMatchObject({ exit_code: 130 });
    expect(outputOf(await shell.call({ command: 'echo alive', timeout }))).toBe('alive');
  });

  test('no generated command costs a later one', { timeout: 240_000 }, async () => {
    await using shell = await openTerminal(pty);
    await fc.assert(
      fc.asyncProperty(noise, async (command) => {
        await shell.call({ command, timeout: 2 });
        // Ends a command that waits for input.
        await shell.call({ command: 'C-c', is_input: true, timeout });
        expect(outputOf(await shell.call({ command: 'echo alive', timeout }))).toMatch(/^alive$/m);
      }),
      { numRuns: 60 },
    );
  });
});

/** Commands that change what the session of the shell is made of, and whether the shell survives them. */
const hostile = [
  ['readonly __varve_id', 'replaced'],
  ['readonly __varve_command', 'replaced'],
  ['readonly status directory rest REPLY text line', 'kept'],
  ['IFS=0123456789', 'kept'],
  ['shopt -s extdebug; trap false DEBUG', 'replaced'],
  ['trap "echo debug >&2" DEBUG', 'kept'],
  ['trap "echo error" ERR; trap "echo exit" EXIT; trap "echo return" RETURN; false', 'kept'],
  ['set -v', 'kept'],
  ['set -x', 'kept'],
  ['set -eu', 'kept'],
  ['set -n', 'kept'],
  ['set -f -k -a -T -E -C -P', 'kept'],
  ['set -o posix', 'kept'],
  ['. <(echo "set -o vi")', 'kept'],
  ['. <(echo "set -o emacs; PS1=x")', 'kept'],
  ['shopt -s nocasematch failglob nullglob extglob; shopt -u promptvars', 'kept'],
  ['shopt -u expand_aliases', 'kept'],
  ['kill -STOP $$', 'kept'],
  ['exec >/dev/null 2>&1', 'kept'],
  ['exec <&-', 'kept'],
  ['exec >&- 2>&-', 'kept'],
  ['PS1="% " PS2="> " PROMPT_COMMAND="echo prompt"; export PS1', 'kept'],
  ['PS1=x; PROMPT_COMMAND=y; : ${missing?}', 'kept'],
  ['unset PROMPT_COMMAND PS1 BASH_ENV', 'kept'],
  ['declare -i PS1 PROMPT_COMMAND __varve_id __varve_command', 'kept'],
  ['unset PS1; declare -n PS1=HOME __varve_command=PATH', 'kept'],
  ['declare -u PS1 __varve_command; declare -l PROMPT_COMMAND', 'kept'],
  ['for name in eval builtin printf __varve_load __varve_end; do alias "$name=false"; done', 'kept'],
  ['alias "{=false"', 'replaced'],
  ['printf() { false; }; read() { false; }; local() { false; }; eval() { false; }; unset() { false; }', 'kept'],
  ['builtin() { false; }', 'kept'],
  ['builtin() { :; }', 'kept'],
  ['builtin() { :; }; export -f builtin', 'kept'],
  ['FUNCNEST=1', 'kept'],
  ['readonly FUNCNEST=100', 'kept'],
  ['enable -n printf local', 'kept'],
  ['enable -n read eval return', 'kept'],
  ['unset -f __varve_load', 'kept'],
  ['ulimit -f 0', 'kept'],
  ['POSIXLY_CORRECT=1 BASH_XTRACEFD=9 TMOUT=0 PS4=x HISTSIZE=0', 'kept'],
] as const;

/** Those after which the shell never waits, which takes 2 s of processor time until it is replaced: on pipes only. */
const spinning = [
  ['builtin() { :; }; unset() { :; }', 'replaced'],
  ['builtin() { :; }; readonly -f builtin', 'replaced'],
] as const;

describe.concurrent.for(backends)('after a hostile command, a terminal on a %s', ([, pty]) => {
  test.for(pty ? hostile : [...hostile, ...spinning])('continues: %s', async ([command, end]) => {
    await using shell = await openTerminal(pty);
    await shell.call({ command: 'cd /usr; export E=exported; V=kept', timeout });
    await shell.call({ command, timeout });
    const notices: string[] = [];
    for (const round of [1, 2]) {
      const next = await shell.call({ command: `(exit 3) || echo "${round} $PWD $E \${V-none}"`, timeout });
      expect(next).toMatchObject({ exit_code: 0 });
      expect(outputOf(next)).toMatch(
        end === 'kept' ? /^[12] \/usr exported kept$/m : /^[12] \/usr (exported (kept|none)|none)$/m,
      );
      notices.push(metadataOf(next).prefix);
    }
    expect(notices.map((notice) => notice.includes('are gone'))).toEqual([end === 'replaced', false]);
  });
});

test('a shell that suspends itself is continued', async () => {
  await using shell = await openTerminal(true);
  await shell.call({ command: 'V=kept; suspend -f', timeout });
  expect(outputOf(await shell.call({ command: 'echo $V', timeout }))).toBe('kept');
});
