import { mkdtemp } from 'node:fs/promises';
import { tmpdir } from 'node:os';
import { join } from 'node:path';
import { expect, test } from 'vitest';
import { scriptedServer } from '@varve/llm/testing';
import { checkRepair, varve } from './repair-package.ts';

/** The other combinations are tested by `test:long`. */
const combinations = [['sqlite:', 'mock']] as const;

test.for(combinations)('the command repairs a real package, with a log in %s and %s calls', ([scheme, way]) =>
  checkRepair(scheme, way),
);

test('the command switches to calls as text when the server rejects tools, and reports it', async () => {
  const home = await mkdtemp(join(tmpdir(), 'varve-home-'));
  const finish = { calls: [{ name: 'finish', arguments: { message: 'Nothing to do.' } }] };
  await using server = await scriptedServer([finish], { prompted: true });
  const options = ['--base-url', server.url, '--model', 'small', '--workspace', home, '--store', 'memory:'];
  const { stdout, stderr, code } = await varve(['run', ...options, 'Do nothing.'], home);
  expect([code, stdout]).toEqual([0, 'Nothing to do.\n']);
  expect(stderr).toContain('small does not support tools: switching to calls as text');
});
