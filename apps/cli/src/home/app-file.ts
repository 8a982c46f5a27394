import { existsSync, readFileSync } from 'node:fs';
import { dirname, join } from 'node:path';
import { fileURLToPath } from 'node:url';

/** Returns the path of a file next to the package.json of the command, also from the bundle. */
export function appFile(name: string): string {
  let directory = dirname(fileURLToPath(import.meta.url));
  while (!existsSync(join(directory, 'package.json'))) directory = dirname(directory);
  return join(directory, name);
}

/** Returns the version of the command. */
export function appVersion(): string {
  const manifest = JSON.parse(readFileSync(appFile('package.json'), 'utf8')) as { readonly version: string };
  return manifest.version;
}
