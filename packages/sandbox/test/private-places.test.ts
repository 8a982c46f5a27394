import { mkdirSync, readdirSync, symlinkSync, writeFileSync } from 'node:fs';
import { dirname, join } from 'node:path';
import { describe, expect, test } from 'vitest';
import { isPrivate } from '../src/policy/private-places.ts';
import { openPlace, problem } from './support/open-place.ts';

function write(path: string): void {
  mkdirSync(dirname(path), { recursive: true });
  writeFileSync(path, path);
}

const hidden = [
  '.config/composer/auth.json',
  '.config/pypoetry/auth.toml',
  '.sentryclirc',
  '.config/helm/registry/config.json',
  '.config/.wrangler/config/default.toml',
  '.subversion/auth/x',
  '.circleci/cli.yml',
  '.config/Code/User/x',
  '.config/filezilla/x',
  '.purple/accounts.xml',
  '.local/share/evolution/x',
  '.bunfig.toml',
  '.ivy2/.credentials',
  '.sbt/.credentials',
  '.config/uv/uv.toml',
  '.zhistory',
  '.histfile',
  '.config/nushell/history.txt',
  '.ipython/profile_default/history.sqlite',
  '.unknown/token',
  '.local/state/other/log',
  '.git-credentials',
];

const visible = [
  '.gitconfig',
  '.gitconfig-work',
  '.config/git/ignore',
  '.cargo/config.toml',
  '.rustup/settings.toml',
  '.nvm/nvm.sh',
  '.local/bin/tool',
  '.local/share/pnpm/tool',
  '.unknown/bin/tool',
  '.bashrc',
  'notes',
];

describe.skipIf(problem !== undefined)('a program in a sandbox', () => {
  test('writes caches of the package managers that the workspace uses, and not their settings', async () => {
    using place = openPlace({
      prepare: ({ workspace }) => ['build.gradle.kts', 'go.mod'].forEach((name) => write(join(workspace, name))),
    });
    const made = 'touch ~/.gradle/daemon/x ~/.gradle/caches/x ~/go/pkg/x';
    expect(await place.run(made)).toEqual({ code: 0, output: '' });
    expect((await place.run('touch ~/.gradle/init.gradle')).code).toBe(1);
    expect((await place.run('touch ~/go/bin')).code).toBe(1);
    expect(readdirSync(place.home).toSorted()).toEqual(expect.not.arrayContaining(['.m2', '.cargo']));
  });

  test('has settings directories of its own, in which nothing of the person is missing with an error', async () => {
    using place = openPlace({ prepare: ({ home }) => write(join(home, '.config/other/x')) });
    const { output } = await place.run(
      'for d in .config .local/share .local/state; do mkdir ~/$d/tool && echo $d >~/$d/tool/x; cat ~/$d/tool/x; done; cat ~/.config/other/x',
    );
    expect(output).toMatch(/^.config\n.local\/share\n.local\/state\ncat: .*No such file/);
    expect((await place.run('cat ~/.config/tool/x')).code).toBe(1);
    expect(readdirSync(join(place.home, '.config'))).toEqual(['other']);
  });

  test('reads of the home directory what builds need, and what a rule allows', async () => {
    const allowed = ['.unknown/allowed', '.config/allowed'];
    const all = [...hidden, ...visible, ...allowed.map((name) => `${name}/x`)];
    using prepared = openPlace({
      prepare({ home }) {
        for (const name of all) write(join(home, name));
        symlinkSync('.', join(home, '.self'));
        symlinkSync('work space\n1', join(home, '.work'));
      },
    });
    const { home, workspace } = prepared;
    using place = openPlace({ home, workspace, visible: allowed.map((name) => join(home, name)) });
    const { output } = await place.run(
      `cd ${home}; for name in ${all.join(' ')}; do cat $name; echo; done 2>/dev/null`,
    );
    const read = all.filter((name) => output.includes(join(home, name)));
    expect(read).toEqual([...visible, ...allowed.map((name) => `${name}/x`)]);
    expect(await place.run('echo 1 > a && cat a')).toEqual({ code: 0, output: '1\n' });
  });

  test('reads settings of registries as empty ones, so that package managers work', async () => {
    using place = openPlace({ prepare: ({ home }) => ['.npmrc', '.netrc'].forEach((name) => write(join(home, name))) });
    expect(await place.run('cat ~/.npmrc')).toEqual({ code: 0, output: '' });
    expect((await place.run('cat ~/.netrc')).output).toContain('Permission denied');
  });

  test('reads all names of a project that is the home directory, but credentials', async () => {
    using place = openPlace({
      prepare: ({ workspace }) =>
        ['.github/x', '.ssh/id', '.config/gh/x'].forEach((name) => write(join(workspace, name))),
    });
    using own = openPlace({ workspace: place.workspace, home: place.workspace });
    const { output } = await own.run('cat .github/x .ssh/id .config/gh/x 2>/dev/null');
    expect(output).toBe(join(place.workspace, '.github/x'));
  });
});

test('paths of a home directory are private by their place', () => {
  expect(hidden.filter((name) => !isPrivate(join('/person', name), '/person'))).toEqual([]);
  expect(visible.filter((name) => isPrivate(join('/person', name), '/person'))).toEqual([]);
  expect(['', '.config', '../.x', 'work/.env'].filter((name) => isPrivate(join('/person', name), '/person'))).toEqual(
    [],
  );
});
