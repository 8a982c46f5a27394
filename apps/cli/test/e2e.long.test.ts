import { test } from 'vitest';
import { checkRepair } from './repair-package.ts';

test.for([
  ['memory:', 'native'],
  ['memory:', 'mock'],
  ['sqlite:', 'native'],
  ['dir:', 'native'],
  ['dir:', 'mock'],
] as const)('the command repairs a real package, with a log in %s and %s calls', ([scheme, way]) =>
  checkRepair(scheme, way),
);
