#!/usr/bin/env node
import { readFileSync } from 'node:fs';
import { flagsOf, help } from './flags.ts';

/** Prints a sentence to stderr and sets the exit code. */
function fail(error: unknown, code: number): void {
  process.stderr.write(`varve-agent-server: ${error instanceof Error ? error.message : String(error)}\n`);
  process.exitCode = code;
}

/** Returns true for an error of the options, which the person can correct. */
function isUsage(error: unknown): boolean {
  return error instanceof Error && ['ServerError', 'SettingsError', 'UsageError'].includes(error.name);
}

try {
  const flags = flagsOf(process.argv.slice(2));
  if (flags.version) {
    const { version } = JSON.parse(readFileSync(new URL('../package.json', import.meta.url), 'utf8')) as {
      version: string;
    };
    process.stdout.write(`${version}\n`);
  } else if (flags.help) process.stdout.write(help);
  else {
    // Loaded here: what it shares with parts that are loaded later must not be in this file, whose end they await.
    const { serve } = await import('./serve.ts');
    await serve(flags, process.env);
  }
} catch (error) {
  fail(error, isUsage(error) ? 2 : 1);
}
