import { expect, test } from 'vitest';
import { withoutCredentials } from './run-git.ts';

test.for([
  ['https://user:password@x.org/r', 'https://x.org/r'],
  ['https://token@x.org/r', 'https://x.org/r'],
  ['https://user:pass@word@x.org/r', 'https://x.org/r'],
  ['http://a:b@x.org ssh://c:d@y.org:22/r', 'http://x.org ssh://y.org:22/r'],
  ['svn+ssh://user:password@x.org/r', 'svn+ssh://x.org/r'],
  ['https://x.org/r@v1 of a@b.org', 'https://x.org/r@v1 of a@b.org'],
] as const)('the output "%s" of git is shown as "%s"', ([output, displayed]) => {
  expect(withoutCredentials(`fatal: ${output} failed\n`)).toBe(`fatal: ${displayed} failed`);
});
