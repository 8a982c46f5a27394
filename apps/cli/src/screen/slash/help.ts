import type { SessionCommand } from '../session-command.ts';

/** Creates the command that lists the others. */
export function helpCommand(others: readonly SessionCommand[]): SessionCommand {
  return {
    name: 'help',
    description: 'lists the commands and keys',
    async run({ screen, prompts, servers }) {
      const rows = [...others, ...(await prompts), ...servers.commands].map(({ name, argument, description }) => [
        `/${name}${argument === undefined ? '' : ` ${argument}`}`,
        description,
      ]);
      screen.print(table([...rows, ['', ''], ...keys], screen.columns));
    },
  };
}

const keys = [
  ['Enter', 'sends a message, also while the agent works'],
  ['Shift-Enter, \\ Enter', 'starts a new line'],
  ['Esc', 'interrupts the agent; twice, goes back to an earlier message'],
  ['Shift-Tab', 'changes what is asked about: plan, ask, edits, auto'],
  ['Up, Down', 'earlier inputs'],
  ['Ctrl-R', 'searches earlier inputs'],
  ['@ Tab', 'completes a file, or after @SERVER: a resource of a server of tools, whose text is sent'],
  ['/SERVER: Tab', 'completes a prompt of a server of tools'],
  ['Ctrl-V', 'attaches the image of the clipboard'],
  ['!COMMAND', 'runs a command of yours; the agent reads it with your next message'],
  ['!!COMMAND', 'runs a command of yours, which the agent does not see'],
  ['Ctrl-O', 'shows long results whole'],
  ['Ctrl-G', 'opens what is typed in your editor'],
  ['Ctrl-C twice', 'leaves'],
] as const;

/** Returns rows of two columns; on a narrow terminal the second one is below the first. */
function table(rows: readonly (readonly string[])[], columns: number): string {
  const width = Math.max(...rows.map(([name = '']) => name.length)) + 2;
  const isNarrow = columns < width + 40;
  return rows
    .map(([name = '', what = '']) => (isNarrow ? `${name}\n    ${what}` : `${name.padEnd(width)}${what}`).trimEnd())
    .join('\n');
}
