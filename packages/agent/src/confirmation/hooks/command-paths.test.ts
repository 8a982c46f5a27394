import { spawnSync } from 'node:child_process';
import { mkdir, mkdtempDisposable, writeFile } from 'node:fs/promises';
import { tmpdir } from 'node:os';
import { join } from 'node:path';
import { pathToFileURL } from 'node:url';
import { expect, test } from 'vitest';
import { pathsInCommand } from './command-paths.ts';

/** Commands that run one of the scripts; WORKSPACE is the path of the workspace as text. */
const commands = [
  'sh check.sh',
  '"$DIR"/check.sh',
  '"$DIR/check.sh"',
  'sh "${DIR}"/d/x.sh',
  'sh "${DIR:-.}/d/x.sh"',
  'sh "${PWD%/}/check.sh"',
  '"WORKSPACE"/check.sh',
  '"WORKSPACE/check.sh" -x',
  'cd "WORKSPACE/d" && ./x.sh',
  'cd d; cd e; ./y.sh',
  '(cd d && cd e && sh ../x.sh)',
  'sh "a b.sh"',
  "'./a b.sh'",
  'sh chec"k.sh"',
  'sh check\\.sh',
];

test.for(['plain', 'two words', "it's", 'a=b', 'a(b);c', 'a,b:c'])(
  'the scripts that commands run in the workspace %j are among their paths',
  async (name) => {
    await using root = await mkdtempDisposable(join(tmpdir(), 'varve-'));
    const workspace = join(root.path, name);
    await mkdir(join(workspace, 'd/e'), { recursive: true });
    for (const path of ['check.sh', 'd/x.sh', 'd/e/y.sh', 'a b.sh'])
      await writeFile(join(workspace, path), `#!/bin/sh\necho '${path}'`, { mode: 0o700 });
    for (const template of commands) {
      const command = template.replaceAll('WORKSPACE', workspace);
      const { stdout } = spawnSync('sh', ['-c', command], {
        cwd: workspace,
        env: { PATH: process.env['PATH'], DIR: workspace, PWD: workspace },
        encoding: 'utf8',
      });
      expect(stdout, command).toMatch(/^.+\.sh\n$/);
      expect(await pathsInCommand([command], { workspace }), command).toContain(stdout.trimEnd());
    }
    // An argument of a server is one word.
    for (const text of ['a b.sh', join(workspace, 'a b.sh'), pathToFileURL(join(workspace, 'a b.sh')).href])
      expect(await pathsInCommand([text], { workspace }), text).toContain('a b.sh');
  },
);
