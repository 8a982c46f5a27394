import { mkdir } from 'node:fs/promises';
import { join } from 'node:path';
import { run } from './run.ts';

/**
 * Fetches a version of Node from npm and returns the path of its binary.
 *
 * The `node` package needs an install script; the platform package that it downloads does not.
 *
 * @throws {Error} if npm fails, for example because the platform has no binary.
 */
export async function nodeBinary(version: string, folder: string): Promise<string> {
  const platform = process.platform === 'win32' ? 'win' : process.platform;
  const name = `node-${platform}-${process.arch}`;
  await mkdir(folder, { recursive: true });
  await run(
    'npm',
    ['install', '--prefix', folder, '--ignore-scripts', '--no-audit', '--no-fund', `${name}@${version}`],
    folder,
  );
  return join(folder, 'node_modules', name, 'bin', platform === 'win' ? 'node.exe' : 'node');
}
