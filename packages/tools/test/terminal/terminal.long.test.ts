import { describe, expect, test } from 'vitest';
import { metadataOf, backends, openTerminal, outputOf } from '../support/open-terminal.ts';
import { cutLines } from '../support/cut-lines.ts';
import { isRunning } from '../support/is-running.ts';

describe.for(backends)('a terminal on a %s', ([, pty]) => {
  test('half a gigabyte of output needs little memory', async () => {
    await using shell = await openTerminal(pty);
    await shell.call({ command: 'true' });
    const before = process.memoryUsage().rss;
    let most = 0;
    const observation = await shell.call(
      { command: 'yes "a line of some length, as programs write them" | head -c 512M; echo; echo end', timeout: 500 },
      { onOutput: () => (most = Math.max(most, process.memoryUsage.rss())) },
    );
    expect(outputOf(observation).endsWith('end')).toBe(true);
    expect((most - before) / 1024 / 1024).toBeLessThan(300);
  });

  test('two thousand commands return their own output and exit code', async () => {
    await using shell = await openTerminal(pty);
    for (let number = 0; number < 2000; number += 1) {
      const observation = await shell.call({
        command: `printf 'x%.0s' $(seq ${number % 50}); (exit ${number % 200})`,
        timeout: 60,
      });
      expect(outputOf(observation)).toBe('x'.repeat(Math.max(1, number % 50)));
      expect(observation).toMatchObject({ exit_code: number % 200 });
    }
  });

  test('a call cancelled at any time settles, and later calls show nothing of it', async () => {
    await using shell = await openTerminal(pty);
    for (let wait = 0; wait < 200; wait += 1) {
      const signal = AbortSignal.timeout(wait % 25);
      // Never ends by itself: the call settles only because of its signal.
      const call = shell.call({ command: 'while :; do echo on; sleep 0.5; done', timeout: 3600 }, { signal });
      const [settled] = await Promise.allSettled([call]);
      expect(settled).toMatchObject(settled.status === 'rejected' ? { reason: { code: 'aborted' } } : {});
      expect(outputOf(await shell.call({ command: 'echo alive', timeout: 60 }))).toBe('alive');
    }
  });

  test('C-c that discards any part of the line of a command ends the command', async () => {
    await using shell = await cutLines(pty);
    for (let cut = 0; cut <= 200; cut += 3) {
      expect(await shell.interrupted('while :; do echo on; sleep 0.5; done', cut)).toBe('finished');
      expect(await shell.outputOf('echo alive')).toBe('alive');
    }
  });

  test('a hundred resets leave no shell running', async () => {
    await using shell = await openTerminal(pty);
    const pids: number[] = [];
    for (let number = 0; number < 100; number += 1) {
      const observation = await shell.call({ command: 'sleep 100 & true', reset: true });
      pids.push(metadataOf(observation).pid);
    }
    await shell.tool.close();
    await expect.poll(() => pids.filter(isRunning), { interval: 10, timeout: 20_000 }).toEqual([]);
  });
});
