import { expect, test } from 'vitest';
import { privateArguments } from './private-arguments.ts';

const url = 'postgres://me:s3cret@host/d';

test.for([
  [['run', 'x', '--store', url, '--json'], ['run', 'x', '--json'], { VARVE_STORE: url }],
  [['run', `--store=${url}`, 'x'], ['run', 'x'], { VARVE_STORE: url }],
  [['serve', '--key', 'k', '--store', url], ['serve'], { VARVE_SESSION_API_KEY: 'k', VARVE_STORE: url }],
] as const)('the secrets of %j become variables', ([args, kept, variables]) => {
  expect(privateArguments(args)).toEqual({ args: kept, variables });
});

test.for([
  [['run', '--store', 'sqlite:a@b.db']],
  [['run', '--store']],
  [['serve', '--key', '']],
  [['serve', '--print-config', '--key', 'k']],
] as const)('%j stays as it is', ([args]) => {
  expect(privateArguments(args)).toEqual({});
});
