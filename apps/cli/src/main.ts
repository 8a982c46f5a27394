#!/usr/bin/env node
import { endWithReader } from './end-with-reader.ts';
import { runProgram } from './program.ts';

endWithReader(process.stdout);
endWithReader(process.stderr);

process.exitCode = await runProgram(process.argv.slice(2), {
  env: process.env,
  cwd: process.cwd(),
  stdin: process.stdin,
  stdout: process.stdout,
  stderr: process.stderr,
});
