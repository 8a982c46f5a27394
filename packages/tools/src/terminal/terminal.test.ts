import { writeFile } from 'node:fs/promises';
import { join } from 'node:path';
import { presentObservation } from '@varve/events/payloads';
import { describe, expect, test } from 'vitest';
import { metadataOf, backends, openTerminal as open, outputOf } from '../../test/support/open-terminal.ts';

const exactly = (text: string): RegExp => new RegExp(`^${text}$`.replaceAll('\\', String.raw`\\`));

describe.for(backends)('a terminal on a %s', ([, pty]) => {
  test('echo returns its text, exit code 0 and the state of the shell', async () => {
    await using shell = await open(pty);
    const observation = await shell.call({ command: 'echo hello' });
    expect(outputOf(observation)).toBe('hello');
    expect(observation).toMatchObject({ is_error: false, exit_code: 0, timeout: false, command: 'echo hello' });
    expect(metadataOf(observation)).toMatchObject({ exit_code: 0, working_dir: shell.workspace, prefix: '' });
    expect(metadataOf(observation).pid).toBeGreaterThan(0);
    expect(metadataOf(observation).hostname).not.toBe('');
    expect(metadataOf(observation).suffix).toContain('finished');
  });

  test('an unknown command returns its message and exit code 127', async () => {
    await using shell = await open(pty);
    const observation = await shell.call({ command: 'no_such_command_here' });
    expect(outputOf(observation)).toContain('no_such_command_here');
    expect(observation).toMatchObject({ exit_code: 127, is_error: false });
  });

  test.for([
    ['a chain stops at the first failure', 'echo a && false && echo c', 'a', 1],
    ['an exclamation mark is text', 'echo A!B "x!y"', 'A!B x!y', 0],
    ['an if over several lines is one command', 'if true; then\n  echo yes\nelse\n  echo no\nfi', 'yes', 0],
    ['a backslash joins lines', 'echo one \\\n  two', 'one two', 0],
    ['a line feed in quotes is text', "echo 'one\ntwo'", 'one\ntwo', 0],
    ['a loop on one line', 'i=0; while [ $i -lt 3 ]; do i=$((i+1)); if [ $i = 2 ]; then echo two; fi; done', 'two', 0],
    ['a loop with a continued chain', 'for d in a b; do\n  mkdir -p $d && \\\n  ls -d $d\ndone', 'a\nb', 0],
    ['several statements run as one script', 'echo 1\necho 2\nfalse\necho 4', '1\n2\n4', 0],
    ['an unclosed quote ends with status 2', 'echo "open', /unexpected EOF/, 2],
    ['an unclosed backtick ends with status 2', 'echo `date', /unexpected EOF/, 2],
    ['a bracket expression is a command', '[ -d / ]', '', 0],
    ['a trailing backslash does not hang', 'echo end \\', 'end \\', 0],
    ['a command named like a key is a command', 'UP', /UP/, 127],
  ] as const)('%s', async ([, command, text, exitCode]) => {
    await using shell = await open(pty);
    const observation = await shell.call({ command, timeout: 20 });
    expect(observation).toMatchObject({ exit_code: exitCode });
    expect(outputOf(observation)).toMatch(typeof text === 'string' ? exactly(text) : text);
  });

  test('variables, functions, aliases and the last status stay for the next call', async () => {
    await using shell = await open(pty);
    await shell.call({
      command: 'export NAME=varve; plain=1; greet() { echo "$1 $NAME"; }; alias again=\'echo again\'; (exit 3)',
    });
    const observation = await shell.call({ command: 'echo $? $plain; greet hello; again' });
    expect(outputOf(observation)).toBe('3 1\nhello varve\nagain');
  });

  test('cd persists, also into a directory with an unusual name', async () => {
    await using shell = await open(pty);
    const name = 'späce "quote" %41\n\u0007end';
    const first = await shell.call({ command: `mkdir $'späce "quote" %41\\n\\aend' && cd späce*` });
    expect(metadataOf(first).working_dir).toBe(join(shell.workspace, name));
    const second = await shell.call({ command: 'cd .. && pwd' });
    expect(outputOf(second)).toBe(shell.workspace);
  });

  test('two commands on one line return the output of both', async () => {
    await using shell = await open(pty);
    await writeFile(join(shell.workspace, 'file'), '');
    expect(outputOf(await shell.call({ command: 'pwd && ls' }))).toBe(`${shell.workspace}\nfile`);
  });

  test('five thousand lines are returned completely', async () => {
    await using shell = await open(pty);
    const observation = await shell.call({ command: 'seq 1 5000', timeout: 20 });
    expect(outputOf(observation)).toBe(Array.from({ length: 5000 }, (_, index) => index + 1).join('\n'));
  });

  test('a listing of ten thousand files ends with its last line', { timeout: 180_000 }, async () => {
    await using shell = await open(pty);
    const command = 'mkdir many && cd many && seq -f "file-%05g" 10000 | xargs touch && ls -1';
    const text = outputOf(await shell.call({ command, timeout: 120 }));
    expect(text.startsWith('file-00001\nfile-00002\n')).toBe(true);
    expect(text.endsWith('\nfile-10000')).toBe(true);
  });

  test('the middle of a long line is omitted', async () => {
    await using shell = await open(pty, { maxOutputChars: 1000 });
    const text = outputOf(await shell.call({ command: 'printf "a%.0s" $(seq 5000)', timeout: 20 }));
    expect(text).toMatch(/^a+\n\[\d+ characters left out, from line 1 on.*\]\na+$/);
    expect(text.length).toBeLessThanOrEqual(1000);
  });

  test('a daemon that keeps the output open delays neither a command nor the end of the shell', async () => {
    await using shell = await open(pty);
    // A blocked call would return after its timeout, with exit code -1.
    expect(await shell.call({ command: 'setsid sleep 15 & true', timeout: 10 })).toMatchObject({ exit_code: 0 });
    expect(await shell.call({ command: 'setsid sleep 15 & exit 3', timeout: 10 })).toMatchObject({ exit_code: 3 });
  });

  test('find with -exec and an escaped semicolon', async () => {
    await using shell = await open(pty);
    await writeFile(join(shell.workspace, 'a.txt'), 'needle\n');
    expect(outputOf(await shell.call({ command: 'find . -name "*.txt" -exec grep -l needle {} \\;' }))).toBe('./a.txt');
  });

  test('the name of a key without is_input is run as a command', async () => {
    await using shell = await open(pty);
    expect(await shell.call({ command: 'UP' })).toMatchObject({ exit_code: 127, is_error: false });
    expect(outputOf(await shell.call({ command: 'echo alive' }))).toBe('alive');
  });

  test('neither prompts nor the command itself are part of the output', async () => {
    await using shell = await open(pty);
    await shell.call({ command: 'PS1="$ "; PS2="> "; export PS1 PS2' });
    expect(outputOf(await shell.call({ command: 'cat <<END\na\nb\nEND' }))).toBe('a\nb');
    expect(outputOf(await shell.call({ command: 'true' }))).toBe('');
  });

  test.for([5, 21, 3000])('a heredoc of %i lines is passed unchanged', async (lines) => {
    await using shell = await open(pty);
    const body = Array.from({ length: lines }, (_, index) => `line ${index} 'x' "y" $z \`w\``);
    const observation = await shell.call({
      command: `cat > out <<'END'\n${body.join('\n')}\nEND\nwc -l < out`,
      timeout: 20,
    });
    expect(outputOf(observation).trim()).toBe(String(lines));
  });

  test('bytes that are not text are replaced', async () => {
    await using shell = await open(pty);
    const observation = await shell.call({ command: String.raw`printf 'a\0b\xffc\n'` });
    expect(outputOf(observation)).toBe('a\uFFFDb\uFFFDc');
  });

  test('a character written in two parts is returned whole', async () => {
    await using shell = await open(pty);
    const observation = await shell.call({
      command: String.raw`printf '\xc3'; sleep 0.05; printf '\xa4\n'`,
      timeout: 20,
    });
    expect(outputOf(observation)).toBe('ä');
  });

  test('a marker with another nonce does not end the command', async () => {
    await using shell = await open(pty);
    const command = String.raw`printf '\033]697;D;0123456789abcdef;1;7;/etc\007'; echo after`;
    const observation = await shell.call({ command });
    expect(observation).toMatchObject({ exit_code: 0 });
    expect(outputOf(observation)).toBe('after');
    expect(metadataOf(observation).working_dir).toBe(shell.workspace);
  });

  test('line ends are normalized and progress is shown in its last state', async () => {
    await using shell = await open(pty);
    const observation = await shell.call({
      command: String.raw`printf '10%%\r50%%\r100%%\nnext\r\n\033[31mred\033[0m\n'`,
    });
    expect(outputOf(observation)).toBe('100%\nnext\nred');
  });

  test('a command keeps working after PROMPT_COMMAND is unset', async () => {
    await using shell = await open(pty);
    expect(await shell.call({ command: 'unset PROMPT_COMMAND' })).toMatchObject({ exit_code: 0 });
    expect(outputOf(await shell.call({ command: 'echo still' }))).toBe('still');
  });

  test('output is passed to onOutput as it arrives', async () => {
    await using shell = await open(pty);
    const chunks: string[] = [];
    await shell.call(
      { command: String.raw`printf '\033[1mbold\033[0m\n'` },
      { onOutput: (chunk) => void chunks.push(chunk) },
    );
    expect(chunks.join('').replaceAll('\r', '')).toBe('bold\n');
  });

  test('a poll without a running command is an error with one content part', async () => {
    await using shell = await open(pty);
    const observation = await shell.call({ command: '' });
    expect(observation).toMatchObject({ is_error: true });
    expect(presentObservation(observation)).toHaveLength(2);
  });
});

test.for(['[[1,2]]', "[{'a':1}]", '["ls"]', "['ls']", '{"k":1}', "{'k':1}", '  ["x"]'])(
  '%s is not run as a command',
  async (command) => {
    await using shell = await open(false);
    const observation = await shell.call({ command });
    expect(observation).toMatchObject({ is_error: true, command });
    expect(observation['exit_code']).toBeUndefined();
  },
);

test('a command with a null character is refused', async () => {
  await using shell = await open(false);
  expect(await shell.call({ command: 'echo \0' })).toMatchObject({ is_error: true });
});
