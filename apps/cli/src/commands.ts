import { demo } from './commands/demo.ts';
import { ls } from './commands/ls.ts';
import { run } from './commands/run.ts';
import { serve } from './commands/serve.ts';
import { show } from './commands/show.ts';
import type { CliCommand } from './define-command.ts';

/** Every command there is, in the order of the help: add a file, then its line here. */
export const commands: readonly CliCommand[] = [run, ls, show, serve, demo];
