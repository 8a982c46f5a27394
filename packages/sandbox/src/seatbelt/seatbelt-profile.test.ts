import { expect, test } from 'vitest';
import type { SandboxPolicy } from '../policy/sandbox-policy.ts';
import { seatbeltProfile } from './seatbelt-profile.ts';

const policy: SandboxPolicy = {
  profile: 'workspace',
  writable: ['/none/a "b"'],
  readOnly: ['/none/a "b"/.vscode'],
  hidden: [],
  network: 'off',
};

const mounts = [
  { path: '/project', access: 'writable', kind: 'directory' },
  { path: '/project/.git/hooks', access: 'read-only', kind: 'directory' },
  { path: '/project/\\ "q"', access: 'hidden', kind: 'file' },
] as const;

test('writes the rules of a longer path after those of the shorter one', () => {
  const lines = seatbeltProfile(policy, mounts).split('\n');
  expect(lines.slice(0, 2)).toEqual(['(version 1)', '(deny default)']);
  const first = lines.indexOf('(allow file-read* file-write* (subpath "/project"))');
  expect(lines.slice(first, first + 4)).toEqual([
    '(allow file-read* file-write* (subpath "/project"))',
    '(deny file-write* (subpath "/project/.git/hooks"))',
    String.raw`(deny file-read* file-write* (subpath "/project/\\ \"q\""))`,
    String.raw`(deny file-write* (subpath "/none/a \"b\"/.vscode"))`,
  ]);
});

test('allows the local network only, or all of it without sockets of files', () => {
  expect(seatbeltProfile(policy, [])).toContain('(allow network-outbound (remote ip "localhost:*"))');
  expect(seatbeltProfile(policy, [])).not.toContain('(allow network-outbound (remote ip))');
  expect(seatbeltProfile({ ...policy, network: 'on' }, [])).toContain('(allow network-outbound (remote ip))');
});
