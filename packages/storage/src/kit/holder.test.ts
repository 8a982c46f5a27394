import { spawnSync } from 'node:child_process';
import { expect, test } from 'vitest';

/** Runs a program in a namespace of process ids whose `/proc` is that of another one. */
const inNamespace = (...program: readonly string[]) =>
  spawnSync('unshare', ['--map-root-user', '--pid', '--fork', ...program], {
    cwd: import.meta.dirname,
    encoding: 'utf8',
  });

test.skipIf(inNamespace('true').status !== 0)('a process is not seen as dead by the table of other process ids', () => {
  const code = `
    import { isDead, thisProcess } from '@varve/storage/kit';
    const self = thisProcess();
    const [run, namespace] = self.boot.split(' ');
    console.log(self.pid > 1, isDead({ ...self, pid: 1 }, self), isDead({ ...self, pid: 1, boot: [run, namespace, 1].join(' ') }, self));`;
  const node = [process.execPath, '--conditions=@varve/source', '--input-type=module', '-e', code];
  const { stdout } = inNamespace('sh', '-c', '"$@"; exit', 'sh', ...node);
  expect(stdout).toBe('true false false\n');
});
