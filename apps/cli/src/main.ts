#!/usr/bin/env node
// Starts on any Node with ES modules: whatever needs a newer one, or loads slowly, is imported after the check.
import { readFileSync } from 'node:fs';

/** Fields of package.json. */
interface Manifest {
  readonly version: string;
  readonly engines: { readonly node: string };
}

const manifest = JSON.parse(readFileSync(new URL('../package.json', import.meta.url), 'utf8')) as Manifest;
const oldest = manifest.engines.node.replace('>=', '');
const [option] = process.argv.slice(2);

if (option === '--version' || option === '-V') {
  process.stdout.write(`${manifest.version}\n`);
} else if (Number.parseInt(process.versions.node, 10) < Number(oldest)) {
  process.stderr.write(`varve: Node ${oldest} or newer is needed, and this is Node ${process.versions.node}.\n`);
  process.exitCode = 2;
} else {
  // Before anything else, because the process is replaced.
  if (option === 'serve') (await import('./setup/limit-young-generation.ts')).limitYoungGeneration();
  const { privateEnvironment } = await import('./setup/private-environment.ts');
  const env = option === 'run' ? privateEnvironment() : process.env;
  const { start } = await import('./start.ts');
  await start(env);
}
