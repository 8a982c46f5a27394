import { rename, writeFile } from 'node:fs/promises';
import { join } from 'node:path';
import { expect, test } from 'vitest';
import { scriptedServer, type ScriptedTurn } from '@varve/llm/testing';
import { newHome, runVarve } from './run-varve.ts';

const turns: readonly ScriptedTurn[] = [
  { calls: [{ name: 'file_editor', arguments: { command: 'view', path: '.' } }] },
  { calls: [{ name: 'terminal', arguments: { command: 'true' } }] },
  { calls: [{ name: 'finish', arguments: { message: 'Done.' } }] },
];
const cases = ['sqlite', 'dir'].flatMap((scheme) => turns.map((_, reply) => ({ scheme, reply })));

test.for(cases)('a run whose $scheme store disappears before reply $reply ends and names it', async (gone) => {
  const home = await newHome();
  const store = join(home, 'disk');
  const path = gone.scheme === 'dir' ? store : join(store, 'varve.db');
  const steps = turns.map((turn, reply) => async (): Promise<ScriptedTurn> => {
    if (reply === gone.reply) {
      await rename(store, `${store}-gone`);
      await writeFile(store, '');
    }
    return turn;
  });
  await using server = await scriptedServer(steps);
  const { code, stderr } = await runVarve(
    ['run', 'Go.', '--base-url', server.url, '--model', 'm', '--store', `${gone.scheme}:${path}`, '--json'],
    { home },
  );
  expect(stderr).toContain(`varve: `);
  expect(stderr).toContain(store);
  expect(code).toBe(4);
});
