import assert from 'node:assert/strict';
import { rejectsWithCode, type WorkspaceCheck } from './workspace-check.ts';

/** Checks of commands in a workspace. */
export const workspaceCommandChecks: readonly WorkspaceCheck[] = [
  {
    title: 'a command returns its exit code and both streams, each in order',
    async run(workspace) {
      const result = await workspace.execute('echo one; echo "ä 1" >&2; echo two; echo 2 >&2; exit 3');
      assert.deepEqual(result, { exitCode: 3, stdout: 'one\ntwo\n', stderr: 'ä 1\n2\n', timedOut: false });
    },
  },
  {
    title: 'commands run in a new shell, in the workspace or a directory of it, without input',
    async run(workspace) {
      await workspace.write('sub dir/file', '');
      const { stdout: root } = await workspace.execute('x=1; pwd -P');
      const { stdout: sub } = await workspace.execute('echo "$x"; cat; pwd -P', { directory: 'sub dir' });
      assert.equal(sub, `\n${root.trimEnd()}/sub dir\n`);
    },
  },
  {
    title: 'a missing directory is refused',
    async run(workspace) {
      await workspace.write('file', '');
      for (const directory of ['none', 'file']) {
        await rejectsWithCode(workspace.execute('echo ran > ran', { directory }), 'invalid-input');
      }
      assert.deepEqual(await workspace.list(), [{ name: 'file', kind: 'file' }]);
    },
  },
  {
    title: 'the timeout ends a command with the programs it started',
    async run(workspace) {
      const command = `sh -c 'trap "" TERM; sleep 300 & echo $!; wait; sleep 300'`;
      // A busy machine may not start it within a second.
      for (const timeoutMs of [1000, 10_000]) {
        const { stdout, ...rest } = await workspace.execute(command, { timeoutMs });
        assert.equal(rest.timedOut, true);
        assert.equal(rest.exitCode, -1);
        if (stdout === '') continue;
        // The system may end a killed program after the call.
        const ended = `while ps -o stat= -p ${stdout.trim()} | grep -q '^[^Z]'; do sleep 0.01; done`;
        assert.equal((await workspace.execute(ended, { timeoutMs: 20_000 })).timedOut, false);
        return;
      }
      assert.fail('the command has not started');
    },
  },
  {
    title: 'long output is returned whole, each part once',
    async run(workspace) {
      const { stdout, stderr } = await workspace.execute('seq 400000; seq 5 >&2');
      assert.ok(stdout === `${Array.from({ length: 400_000 }, (_, index) => index + 1).join('\n')}\n`);
      assert.equal(stderr, '1\n2\n3\n4\n5\n');
    },
  },
  {
    title: 'both ends of endless output are kept',
    async run(workspace) {
      const { stdout } = await workspace.execute('echo first; head -c 16000000 /dev/zero | tr "\\0" x; echo last');
      assert.ok(stdout.length < 10 * 1024 * 1024 + 100);
      assert.match(stdout.slice(0, 100), /^first\nx+$/);
      assert.match(stdout.slice(-100), /^x+last\n$/);
      assert.match(stdout, /x\n\[\d+ bytes left out\]\nx/);
    },
  },
  {
    title: 'a cancelled command settles as aborted',
    async run(workspace) {
      const controller = new AbortController();
      const running = workspace.execute('echo > started; sleep 60', { timeoutMs: 60_000, signal: controller.signal });
      // Only after the command has started.
      while ((await workspace.list()).length === 0);
      controller.abort();
      await rejectsWithCode(running, 'aborted');
    },
  },
];
