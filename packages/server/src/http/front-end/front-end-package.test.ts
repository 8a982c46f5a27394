import { createHash } from 'node:crypto';
import { mkdir, mkdtemp, readdir, readFile, writeFile } from 'node:fs/promises';
import { tmpdir } from 'node:os';
import { join } from 'node:path';
import { create } from 'tar';
import { expect, test } from 'vitest';
import { frontEndDirectory, frontEndVersion } from './front-end-package.ts';

const page = '<html></html>';

/** Returns an archive as the registry has it, with files besides the front end. */
async function archive(): Promise<{ readonly file: string; readonly sha512: string }> {
  const directory = await mkdtemp(join(tmpdir(), 'varve-archive-'));
  await mkdir(join(directory, 'package', 'build', 'assets'), { recursive: true });
  await writeFile(join(directory, 'package', 'build', 'index.html'), page);
  await writeFile(join(directory, 'package', 'install.js'), 'never executed');
  const file = join(directory, 'front-end.tgz');
  await create({ file, cwd: directory, gzip: true }, ['package']);
  return {
    file,
    sha512: createHash('sha512')
      .update(await readFile(file))
      .digest('base64'),
  };
}

const failing = () => Promise.reject(new Error('npm is not installed'));

test('the files are downloaded once, and nothing else of the package is kept', async () => {
  const { file, sha512 } = await archive();
  const home = await mkdtemp(join(tmpdir(), 'varve-home-'));
  let downloads = 0;
  const pack = async (directory: string) => {
    downloads += 1;
    await writeFile(join(directory, 'front-end.tgz'), await readFile(file));
  };
  const places = { installation: home, home, env: {}, pack, sha512 };
  const directory = await frontEndDirectory(places);
  expect(await frontEndDirectory(places)).toBe(directory);
  expect(downloads).toBe(1);
  expect(directory).toBe(join(home, 'front-end', frontEndVersion));
  expect(await readFile(join(directory, 'index.html'), 'utf8')).toBe(page);
  expect(await readdir(join(home, 'front-end'), { recursive: true })).not.toContain(
    join(frontEndVersion, 'install.js'),
  );
});

test('a changed archive and a failed download leave nothing', async () => {
  const { file } = await archive();
  const home = await mkdtemp(join(tmpdir(), 'varve-home-'));
  const changed = async (directory: string) => writeFile(join(directory, 'front-end.tgz'), await readFile(file));
  for (const [pack, why] of [
    [changed, 'wrong digest'],
    [failing, 'npm is not installed'],
  ] as const) {
    await expect(frontEndDirectory({ installation: home, home, env: {}, pack })).rejects.toThrow(why);
  }
  expect(await readdir(join(home, 'front-end'))).toEqual([]);
});

/** Installs a package into a directory, and returns the directory of its page. */
async function install(directory: string): Promise<string> {
  const installed = join(directory, 'node_modules', '@openhands', 'agent-canvas');
  await mkdir(join(installed, 'build'), { recursive: true });
  await writeFile(join(installed, 'package.json'), '{"name":"@openhands/agent-canvas","version":"9.9.9"}');
  await writeFile(join(installed, 'build', 'index.html'), page);
  return join(installed, 'build');
}

test.for(['.', 'node_modules/@varve/cli/dist/setup', 'lib/node_modules/@varve/cli'])(
  'a package that is installed next to varve in %s is preferred',
  async (place) => {
    const root = await mkdtemp(join(tmpdir(), 'varve-project-'));
    const build = await install(root);
    const installation = join(root, place);
    await mkdir(installation, { recursive: true });
    expect(await frontEndDirectory({ installation, home: root, env: {} })).toBe(build);
  },
);

test.for(['.', '..', '../..'])('a package of the current directory, in %s, is never used', async (place) => {
  const root = await mkdtemp(join(tmpdir(), 'varve-project-'));
  const home = await mkdtemp(join(tmpdir(), 'varve-home-'));
  const cwd = join(root, 'repository', 'src');
  await mkdir(cwd, { recursive: true });
  await install(join(cwd, place));
  const before = process.cwd();
  process.chdir(cwd);
  try {
    // The digest of another archive: what is not installed is downloaded, and this one is refused.
    const { file } = await archive();
    const pack = async (directory: string) => writeFile(join(directory, 'front-end.tgz'), await readFile(file));
    await expect(frontEndDirectory({ installation: home, home, env: {}, pack })).rejects.toThrow('wrong digest');
  } finally {
    process.chdir(before);
  }
});
