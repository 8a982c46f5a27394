#!/usr/bin/env node
// Starts on any Node with ES modules: whatever needs a newer one, or loads slowly, is imported after the check.
import { readFileSync } from 'node:fs';
import { appFile } from './home/app-file.ts';
import type { Streams } from './terminal/terminal-io.ts';

/** Fields of package.json. */
interface Manifest {
  readonly version: string;
  readonly engines: { readonly node: string };
}

const manifest = JSON.parse(readFileSync(appFile('package.json'), 'utf8')) as Manifest;
const oldest = manifest.engines.node.replace('>=', '');
const [option] = process.argv.slice(2);

if (option === '--version' || option === '-V') {
  process.stdout.write(`${manifest.version}\n`);
} else if (Number.parseInt(process.versions.node, 10) < Number(oldest)) {
  process.stderr.write(`varve: Node ${oldest} or newer is needed, and this is Node ${process.versions.node}.\n`);
  process.exitCode = 2;
} else {
  // Before anything else, because the process is replaced.
  const env = await environmentOf(option);
  const { keepCompiledCode } = await import('./home/compile-cache.ts');
  keepCompiledCode(env);
  const started = await startProbe(option);
  const { start } = await import('./start.ts');
  await start(env, started);
}

/** Starts the command that tests the sandbox of a run: it takes as long as loading what the run needs. */
async function startProbe(command: string | undefined): Promise<Pick<Streams, 'sandboxProblem'>> {
  const needsNone = process.argv.some((argument) => /^(?:(?:--sandbox=)?off|-h|--help)$/.test(argument));
  if (command !== 'run' || needsNone) return {};
  const { sandboxProblem } = await import('@varve/sandbox');
  const problem = sandboxProblem();
  // Reported where it is needed, which may be nowhere.
  problem.catch(() => undefined);
  return { sandboxProblem: problem };
}

/** Returns the variables for a command. Those of commands that start programs are readable by no other process. */
async function environmentOf(command: string | undefined): Promise<Readonly<Record<string, string | undefined>>> {
  const isSession = command === undefined || command === 'resume' || /^-(?!h$|-help$)|\s/.test(command);
  const startsPrograms = isSession || ['run', 'acp', 'mcp-server', 'serve'].includes(command);
  if (!startsPrograms) return process.env;
  const { privateEnvironment } = await import('./home/private-environment.ts');
  if (command !== 'serve') return privateEnvironment();
  const { privateArguments } = await import('./home/private-arguments.ts');
  const { youngGenerationOptions } = await import('./home/young-generation-options.ts');
  return privateEnvironment({ nodeOptions: youngGenerationOptions(), ...privateArguments(process.argv.slice(2)) });
}
