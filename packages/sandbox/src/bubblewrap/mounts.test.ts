import { chmodSync, mkdirSync, mkdtempSync, realpathSync } from 'node:fs';
import { tmpdir } from 'node:os';
import { join } from 'node:path';
import { expect, test } from 'vitest';
import { mountsOf } from './mounts.ts';

/** Runs work as a user who is not root, who may search every directory. */
function asUser<Result>(work: () => Result): Result {
  if (process.geteuid?.() !== 0) return work();
  process.seteuid?.(65_534);
  try {
    return work();
  } finally {
    process.seteuid?.(0);
  }
}

test('a hidden path in a directory that the user may not search hides the directory', () => {
  const workspace = realpathSync(mkdtempSync(join(tmpdir(), 'varve-mounts-')));
  chmodSync(workspace, 0o755);
  const closed = join(workspace, 'closed');
  mkdirSync(join(closed, 'keys'), { recursive: true });
  chmodSync(closed, 0);
  const policy = {
    profile: 'workspace',
    writable: [workspace, join(closed, 'cache')],
    readOnly: [],
    hidden: [join(closed, 'keys')],
    network: 'off',
  } as const;
  const mounts = asUser(() => mountsOf(policy));
  chmodSync(closed, 0o755);
  expect(mounts).toEqual([
    { path: workspace, access: 'writable', kind: 'directory' },
    { path: closed, access: 'hidden', kind: 'directory' },
  ]);
});
