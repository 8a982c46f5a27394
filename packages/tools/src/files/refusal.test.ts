import { constants } from 'node:os';
import { expect, test } from 'vitest';
import { systemMessage } from './refusal.ts';

test('an exceeded quota, for which Node has no name, is named, and no path of a temporary file is', () => {
  const code = `Unknown system error -${constants.errno.EDQUOT}`;
  const error = Object.assign(new Error(`${code}: ${code}, write`), { code, errno: -constants.errno.EDQUOT });
  expect(systemMessage(error)).toBe('EDQUOT: disk quota exceeded');
  expect(systemMessage(new Error("ENOSPC: no space left on device, open 'a/.varve-1.tmp'"))).toBe(
    'ENOSPC: no space left on device',
  );
});
