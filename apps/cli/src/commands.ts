import { demo } from './commands/demo.ts';
import { exportCommand } from './commands/export.ts';
import { importCommand } from './commands/import.ts';
import { ls } from './commands/ls.ts';
import { repairCommand } from './commands/repair.ts';
import { run } from './commands/run.ts';
import { serve } from './commands/serve.ts';
import { show } from './commands/show.ts';
import { verify } from './commands/verify.ts';
import type { CliCommand } from './cli-command.ts';

/** All commands in the order of the help: add a file, then its line here. */
export const commands: readonly CliCommand[] = [
  run,
  ls,
  show,
  verify,
  repairCommand,
  exportCommand,
  importCommand,
  serve,
  demo,
];
