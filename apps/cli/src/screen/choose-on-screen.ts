import { CliError } from '../failures/cli-error.ts';
import { exitCodes } from '../failures/exit-codes.ts';
import type { TerminalIo } from '../terminal/terminal-io.ts';
import type { Choice } from './prompts.ts';
import { Screen } from './screen.ts';

/** Asks for one of several items outside of a session; undefined if the person chooses none. */
export async function chooseOnScreen(choice: Choice, io: TerminalIo): Promise<string | undefined> {
  const streams = io.openScreen();
  if (!streams) throw new CliError(exitCodes.usage, 'A choice needs a terminal.', 'Name the conversation: `varve ls`.');
  using screen = new Screen(io, streams, () => Date.now());
  const left = Promise.withResolvers<undefined>();
  screen.start({ quit: () => left.resolve(undefined) });
  // The screen ends with this function.
  return await Promise.race([screen.choose(choice), left.promise]);
}
