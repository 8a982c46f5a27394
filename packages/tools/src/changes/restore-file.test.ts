import { existsSync, mkdirSync, mkdtempSync, rmSync } from 'node:fs';
import { tmpdir } from 'node:os';
import { join } from 'node:path';
import { expect, onTestFinished, test } from 'vitest';
import { restoreFile } from './restore-file.ts';

test.for(['../outside', '.git/config', 'sub/.GIT/config', 'sub/../../outside'])(
  'no path of a log is written outside of the workspace or into a repository: %s',
  async (path) => {
    const root = mkdtempSync(join(tmpdir(), 'restore-'));
    onTestFinished(() => {
      rmSync(root, { recursive: true });
    });
    const workspace = join(root, 'workspace');
    for (const name of ['.git', 'sub/.GIT']) mkdirSync(join(workspace, name), { recursive: true });
    const change = { path, mode: '100644', before: null, after: 'hash' };
    expect(await restoreFile(change, { workspace, content: Buffer.from('x') })).toBe(false);
    expect(existsSync(join(workspace, path))).toBe(false);
  },
);
