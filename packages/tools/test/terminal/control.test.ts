import { writeFile } from 'node:fs/promises';
import { join } from 'node:path';
import type { Observation } from '@varve/events/payloads';
import { describe, expect, test, vi } from 'vitest';
import { ToolError } from '../../src/contract/error.ts';
import { isRunning, printedPid } from '../support/is-running.ts';
import { metadataOf, backends, openTerminal, outputOf, callUntil } from '../support/open-terminal.ts';
import type { OpenedTool } from '../../src/testing/opened-tool.ts';
import type { TerminalOptions } from '../../src/terminal/terminal-options.ts';

const quietMs = 300;
const open = (pty: boolean, options: TerminalOptions = {}): Promise<OpenedTool> =>
  openTerminal(pty, { noChangeTimeoutMs: quietMs, ...options });

/** Returns a shell command that waits for the file `name`. */
const until = (name: string): string => `until [ -e ${name} ]; do sleep 0.01; done`;
const touch = (shell: OpenedTool, name: string): Promise<void> => writeFile(join(shell.workspace, name), '');

/** Returns the observation, if any, of a call that is cancelled at the first output of its command. */
async function cancelAtFirstOutput(
  { call }: OpenedTool,
  command: string,
  onOutput?: (chunk: string) => void,
): Promise<Observation | undefined> {
  const controller = new AbortController();
  const cancelOnOutput = (chunk: string): void => {
    if (!controller.signal.aborted) onOutput?.(chunk);
    controller.abort();
  };
  return call({ command, timeout: 600 }, { signal: controller.signal, onOutput: cancelOnOutput }).catch(
    (error: unknown) => {
      if (error instanceof ToolError && error.code === 'aborted') return undefined;
      throw error;
    },
  );
}

describe.concurrent.for(backends)('a terminal on a %s', ([, pty]) => {
  test('a command without new output is left running', async () => {
    await using shell = await open(pty);
    const { text, last } = await callUntil(shell, { command: `echo one; ${until('go')}` }, 'one');
    expect(text).toBe('one');
    expect(last).toMatchObject({ exit_code: -1, timeout: true, is_error: false });
    expect(metadataOf(last)).toMatchObject({ exit_code: -1 });
    expect(metadataOf(last).suffix).toContain('0.3 s');
  });

  test('a poll returns only new output, and finally the exit code', async () => {
    await using shell = await open(pty);
    const command = `echo one; ${until('a')}; echo two; ${until('b')}; exit_with() { return 5; }; exit_with`;
    await callUntil(shell, { command }, 'one');
    await touch(shell, 'a');
    const second = await callUntil(shell, { command: '' }, 'two');
    expect(second.text).toBe('two');
    expect(metadataOf(second.last).prefix).not.toBe('');
    await touch(shell, 'b');
    const third = await shell.call({ command: '', timeout: 20 });
    expect(outputOf(third)).toBe('');
    expect(third).toMatchObject({ exit_code: 5, timeout: false });
  });

  test('a new command is refused while one is running, and returns the output of that one', async () => {
    await using shell = await open(pty);
    await shell.call({ command: `echo one; ${until('a')}; echo two; ${until('b')}`, timeout: 0.2 });
    await touch(shell, 'a');
    await shell.call({ command: '', timeout: 0.2 });
    const refused = await shell.call({ command: 'echo three > three' });
    expect(refused).toMatchObject({ is_error: true, exit_code: -1, command: 'echo three > three' });
    expect(metadataOf(refused).suffix).toContain('NOT executed');
    await touch(shell, 'b');
    await shell.call({ command: '', timeout: 20 });
    expect(outputOf(await shell.call({ command: 'ls -1', timeout: 20 }))).toBe('a\nb');
  });

  test('a new command runs after the previous one ended unreported, with its remaining output', async () => {
    await using shell = await open(pty);
    await shell.call({ command: `${until('go')}; echo rest; touch ended; false`, timeout: 0.1 });
    await touch(shell, 'go');
    let next = await shell.call({ command: 'echo next' });
    for (; metadataOf(next).exit_code === -1; next = await shell.call({ command: 'echo next' }))
      await shell.call({ command: '', timeout: 0 });
    expect(outputOf(next)).toBe('next');
    expect(next).toMatchObject({ exit_code: 0 });
  });

  test('timeout 0 returns immediately and leaves the command running', async () => {
    await using shell = await open(pty);
    expect(await shell.call({ command: `${until('go')}; echo end`, timeout: 0 })).toMatchObject({
      exit_code: -1,
      timeout: true,
    });
    await touch(shell, 'go');
    expect(outputOf(await shell.call({ command: '', timeout: 20 }))).toBe('end');
  });

  test('a timeout in seconds replaces the limit on missing output', async () => {
    await using shell = await open(pty);
    const observation = await shell.call({ command: 'sleep 0.6; echo end', timeout: 20 });
    expect(outputOf(observation)).toBe('end');
  });

  test('a program that asks twice is answered twice', async () => {
    await using shell = await open(pty);
    await callUntil(shell, { command: 'echo first?; read a; echo second?; read b; echo "$a and $b"' }, 'first?');
    const second = await callUntil(shell, { command: 'one', is_input: true }, 'second?');
    expect(second.text).toBe('second?');
    const last = await shell.call({ command: 'two', is_input: true, timeout: 20 });
    expect(outputOf(last)).toBe('one and two');
    expect(last).toMatchObject({ exit_code: 0 });
  });

  test('C-c ends an endless loop with 130 and the next command runs', async () => {
    await using shell = await open(pty);
    await callUntil(shell, { command: 'while true; do echo on; sleep 0.05; done', timeout: 0.2 }, 'on');
    const interrupt = (): Promise<Observation> => shell.call({ command: 'c-C', is_input: true, timeout: 1 });
    let ended = await interrupt();
    // Between two programs the shell may miss a C-c: bash considers it handled although the starting program did not
    // receive it.
    while (ended['exit_code'] === -1) ended = await interrupt();
    expect(ended).toMatchObject({ exit_code: 130 });
    expect(metadataOf(ended).suffix).toContain('CTRL+C');
    expect(outputOf(await shell.call({ command: 'echo free', timeout: 20 }))).toBe('free');
  });

  test('a server is stopped with C-c, the shell continues, and the server starts again', async () => {
    await using shell = await open(pty);
    const server = `sh -c 'echo up; exec sleep 600'`;
    for (const round of [1, 2]) {
      const started = await callUntil(shell, { command: server, timeout: 0.1 }, 'up');
      expect(started.last).toMatchObject({ exit_code: -1, timeout: true });
      await shell.call({ command: 'C-c', is_input: true, timeout: 20 });
      expect(outputOf(await shell.call({ command: `echo ${round}`, timeout: 20 }))).toBe(String(round));
    }
  });

  test('an incomplete here-document ends with the command and cannot be continued by input', async () => {
    await using shell = await open(pty);
    const observation = await shell.call({ command: 'cat << EOF\none', timeout: 20 });
    expect(observation).toMatchObject({ exit_code: 0 });
    expect(outputOf(observation)).toContain('one');
  });

  test('input that looks like a literal is typed', async () => {
    await using shell = await open(pty);
    await callUntil(shell, { command: 'echo ready; read -r line; echo "got $line"' }, 'ready');
    const observation = await shell.call({ command: '["x"]', is_input: true, timeout: 20 });
    expect(outputOf(observation)).toBe('got ["x"]');
  });

  test('C-d ends the input of a program; TEXT: types the name of a key', async () => {
    await using shell = await open(pty);
    await shell.call({ command: 'cat', timeout: 0.1 });
    expect((await callUntil(shell, { command: 'TEXT:UP', is_input: true }, 'UP')).text).toBe('UP');
    const ended = await shell.call({ command: 'CTRL+D', is_input: true, timeout: 20 });
    expect(ended).toMatchObject({ exit_code: 0 });
  });

  test('input without a running command is an error and has no effect', async () => {
    await using shell = await open(pty);
    await shell.call({ command: 'true', timeout: 20 });
    expect(await shell.call({ command: 'touch file', is_input: true })).toMatchObject({ is_error: true });
    expect(outputOf(await shell.call({ command: 'ls -1', timeout: 20 }))).toBe('');
  });

  test('input that the last program did not read is not run as a command', async () => {
    await using shell = await open(pty);
    await shell.call({ command: `echo ready; ${until('go')}`, timeout: 0.2 });
    await shell.call({ command: 'touch stray', is_input: true, timeout: 0 });
    await touch(shell, 'go');
    await shell.call({ command: '', timeout: 20 });
    expect(outputOf(await shell.call({ command: 'ls -1', timeout: 20 }))).toBe('go');
  });

  test('a command in the background returns immediately and can be ended', async () => {
    await using shell = await open(pty);
    expect(await shell.call({ command: 'sleep 60 > /dev/null 2>&1 &', timeout: 20 })).toMatchObject({ exit_code: 0 });
    expect(await shell.call({ command: 'kill $!; wait $! 2>/dev/null', timeout: 20 })).toMatchObject({
      exit_code: 143,
    });
  });

  test('later output of a background program is returned by the next call', async () => {
    await using shell = await open(pty);
    await shell.call({ command: `(${until('go')}; echo late) &`, timeout: 20 });
    await touch(shell, 'go');
    // It may arrive in pieces, and after what the shell itself prints about its job.
    let output = '';
    const poll = async (): Promise<string> => (output += outputOf(await shell.call({ command: '' })));
    await expect.poll(poll, { interval: 5 }).toContain('late');
    expect(outputOf(await shell.call({ command: 'echo next', timeout: 20 }))).toMatch(/^next/);
  });

  test('a cancelled call interrupts its command and keeps the shell', async () => {
    await using shell = await open(pty);
    // More than once, because on a busy machine C-c may be too slow, and then the shell itself is killed.
    const attempt = async (): Promise<unknown> => {
      await shell.call({ command: 'KEPT=yes', timeout: 20 });
      const ended = await cancelAtFirstOutput(shell, `sh -c 'echo started; exec sleep 60'; echo never`);
      const kept = outputOf(await shell.call({ command: 'echo $KEPT', timeout: 20 }));
      return { exitCode: ended?.['exit_code'], text: ended && outputOf(ended), kept };
    };
    await expect
      .poll(attempt, { timeout: 20_000, interval: 1 })
      .toEqual({ exitCode: 130, text: 'started', kept: 'yes' });
  });

  test('a program that ignores C-c is terminated', async () => {
    await using shell = await open(pty);
    // Writes its number after a moment: on pipes, bash abandons a program that it is still starting when C-c arrives.
    const marked = 'trap "" INT; sleep 0.1; echo $$; while :; do sleep 0.05; done';
    const pids: number[] = [];
    await cancelAtFirstOutput(shell, `bash -c '${marked}'`, (chunk) =>
      pids.push(printedPid(Number.parseInt(chunk, 10))),
    );
    expect(outputOf(await shell.call({ command: 'echo alive', timeout: 20 }))).toBe('alive');
    // `expect.poll` does not know its test while others run at the same time.
    await vi.waitFor(() => expect(isRunning(pids[0])).toBe(false), { timeout: 10_000, interval: 10 });
  });

  test('a shell that ignores every signal is killed, and the next command has a new one', async () => {
    await using shell = await open(pty);
    const observation = await cancelAtFirstOutput(
      shell,
      `trap '' INT TERM; KEPT=yes; echo started; while :; do :; done`,
    );
    expect(observation?.is_error ?? true).toBe(true);
    expect(outputOf(await shell.call({ command: 'echo alive$KEPT', timeout: 20 }))).toBe('alive');
  });

  test('a cancelled call leaves the queue', async () => {
    await using shell = await open(pty, { maxShells: 1 });
    const first = shell.call({ command: until('go'), timeout: 20 });
    const controller = new AbortController();
    const second = shell.call({ command: 'touch second' }, { signal: controller.signal });
    controller.abort();
    await expect(second).rejects.toMatchObject({ code: 'aborted' });
    await touch(shell, 'go');
    await first;
    expect(outputOf(await shell.call({ command: 'ls -1', timeout: 20 }))).toBe('go');
  });

  test('with one shell, concurrent calls run one after the other', async () => {
    await using shell = await open(pty, { maxShells: 1 });
    const texts = await Promise.all(
      [1, 2, 3].map((number) => shell.call({ command: `echo ${number}; sleep 0.02; echo ${number}`, timeout: 20 })),
    );
    expect(texts.map(outputOf)).toEqual(['1\n1', '2\n2', '3\n3']);
  });
});

describe('a terminal on a pty', () => {
  test('the prompt of read -p is shown', async () => {
    await using shell = await open(true);
    const question = await callUntil(shell, { command: 'read -p "Name: " name; echo "Hello $name"' }, 'Name: ');
    expect(question.text).toBe('Name: ');
    expect(outputOf(await shell.call({ command: 'varve', is_input: true, timeout: 20 }))).toBe('Hello varve');
  });

  test('input at a password prompt is not shown', async () => {
    await using shell = await open(true);
    await callUntil(shell, { command: 'read -s -p "Password: " word; echo; echo ${#word}' }, 'Password: ');
    const answered = await shell.call({ command: 'swordfish', is_input: true, timeout: 20 });
    expect(outputOf(answered).trim()).toBe('9');
  });

  test('C-z stops a job, which stays in the list', async () => {
    await using shell = await open(true);
    await callUntil(shell, { command: `sh -c 'echo up; exec sleep 60'` }, 'up');
    expect(await shell.call({ command: 'C-z', is_input: true, timeout: 20 })).toMatchObject({ exit_code: 148 });
    expect(outputOf(await shell.call({ command: 'jobs; kill %1', timeout: 20 }))).toContain('sleep 60');
  });

  test('a program that leaves the terminal in raw mode does not affect the next', async () => {
    await using shell = await open(true);
    await shell.call({ command: 'stty raw echo', timeout: 20 });
    expect(outputOf(await shell.call({ command: 'echo fine; tty > /dev/null', timeout: 20 }))).toBe('fine');
  });

  test('programs see a terminal, and a cursor position query is answered', async () => {
    await using shell = await open(true);
    const command = String.raw`[ -t 0 ] && [ -t 1 ] && printf '\033[6n'; read -s -d R -t 5 answer; echo "${'${#answer}'}"`;
    expect(outputOf(await shell.call({ command, timeout: 20 }))).toBe('5');
  });

  test('a pager does not block the session', async () => {
    await using shell = await open(true);
    expect(outputOf(await shell.call({ command: '$PAGER <<< text; echo $GIT_PAGER', timeout: 20 }))).toBe('text\ncat');
  });

  test('a line that is too long for a terminal is refused instead of truncated', async () => {
    await using shell = await open(true);
    await shell.call({ command: 'cat', timeout: 0.1 });
    expect(await shell.call({ command: 'x'.repeat(5000), is_input: true })).toMatchObject({ is_error: true });
  });
});

test('on a pipe, keys that need a terminal are refused', async () => {
  await using shell = await open(false);
  await shell.call({ command: 'sleep 60', timeout: 0 });
  expect(await shell.call({ command: 'UP', is_input: true })).toMatchObject({ is_error: true });
});

test('on a pipe, input after C-d is refused with a hint', async () => {
  await using shell = await open(false);
  await shell.call({ command: `cat; ${until('go')}`, timeout: 0 });
  await shell.call({ command: 'C-d', is_input: true, timeout: 0 });
  const refused = await shell.call({ command: 'more', is_input: true });
  expect(outputOf(refused)).toContain('reset');
});
