import { execFileSync } from 'node:child_process';
import { existsSync, mkdirSync, readFileSync, symlinkSync } from 'node:fs';
import { join } from 'node:path';
import { DatabaseSync } from 'node:sqlite';
import { root } from './workspace.ts';

/**
 * Returns the main file of an app for tests that start it. In a test run it is the bundle, as users have it: it starts
 * in a third of the processor time of the sources. The first test that needs it builds it for all others. Outside of
 * test runs it is the main file of the sources.
 */
export function appMain(app: 'cli' | 'server'): string {
  const source = join(root, 'apps', app);
  const apps = process.env['VARVE_TEST_APPS'];
  if (apps === undefined) return join(source, 'src/main.ts');
  const folder = join(apps, app);
  mkdirSync(folder, { recursive: true });
  // Other test files wait for the lock while one builds.
  using lock = new DatabaseSync(join(folder, 'lock.db'), { timeout: 120_000 });
  lock.exec('BEGIN EXCLUSIVE');
  if (!existsSync(join(folder, 'package.json'))) build(source, folder);
  return join(folder, 'dist/main.js');
}

/** Bundles an app as its script does, next to links to what it reads. */
function build(source: string, folder: string): void {
  const { scripts } = JSON.parse(readFileSync(join(source, 'package.json'), 'utf8')) as {
    readonly scripts: { readonly build: string };
  };
  const args = [...scripts.build.split(' ').slice(1), '--to', join(folder, 'dist')];
  execFileSync(process.execPath, args, { cwd: source });
  for (const name of ['node_modules', 'demo', 'package.json']) symlinkSync(join(source, name), join(folder, name));
}
