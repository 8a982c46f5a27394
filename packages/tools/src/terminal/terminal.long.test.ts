import { describe, expect, test } from 'vitest';
import { around, backends, openTerminal, shown } from '../testing/open-terminal.ts';

describe.for(backends)('a terminal on a %s', ([, pty]) => {
  test('TE-61: a gigabyte of output takes little memory', async () => {
    await using shell = await openTerminal(pty);
    await shell.call({ command: 'true' });
    const before = process.memoryUsage().rss;
    let most = 0;
    const observation = await shell.call(
      { command: 'yes "a line of some length, as programs write them" | head -c 1G; echo; echo end', timeout: 500 },
      { onOutput: () => (most = Math.max(most, process.memoryUsage.rss())) },
    );
    expect(shown(observation).endsWith('end')).toBe(true);
    expect((most - before) / 1024 / 1024).toBeLessThan(300);
  });

  test('two thousand commands, each with its own output and exit code', async () => {
    await using shell = await openTerminal(pty);
    for (let number = 0; number < 2000; number += 1) {
      const observation = await shell.call({
        command: `printf 'x%.0s' $(seq ${number % 50}); (exit ${number % 200})`,
        timeout: 60,
      });
      expect(shown(observation)).toBe('x'.repeat(Math.max(1, number % 50)));
      expect(observation).toMatchObject({ exit_code: number % 200 });
    }
  });

  test('a call cancelled at any moment settles within a second and leaves a working terminal', async () => {
    await using shell = await openTerminal(pty);
    for (let wait = 0; wait < 100; wait += 1) {
      const signal = AbortSignal.timeout(wait % 25);
      const begun = performance.now();
      const call = shell.call({ command: 'for i in 1 2 3 4 5; do echo $i; sleep 0.5; done' }, { signal });
      const [settled] = await Promise.allSettled([call]);
      expect(settled).toMatchObject(settled.status === 'rejected' ? { reason: { code: 'aborted' } } : {});
      expect(performance.now() - begun).toBeLessThan(1100);
      expect(shown(await shell.call({ command: 'echo alive', timeout: 20 }))).toBe('alive');
    }
  });

  test('a hundred resets leave no shell', async () => {
    await using shell = await openTerminal(pty);
    const pids: number[] = [];
    for (let number = 0; number < 100; number += 1) {
      const observation = await shell.call({ command: 'sleep 100 & true', reset: true });
      pids.push(around(observation).pid);
    }
    await shell.tool.close();
    for (const pid of pids) expect(() => process.kill(pid, 0)).toThrow('ESRCH');
  });
});
