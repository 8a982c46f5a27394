#!/usr/bin/env node
import { exitOnBrokenPipe } from './terminal/exit-on-broken-pipe.ts';
import { runProgram } from './program.ts';

exitOnBrokenPipe(process.stdout);
exitOnBrokenPipe(process.stderr);

process.exitCode = await runProgram(process.argv.slice(2), {
  env: process.env,
  cwd: process.cwd(),
  stdin: process.stdin,
  stdout: process.stdout,
  stderr: process.stderr,
});
