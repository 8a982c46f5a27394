import { Argument, Command } from 'commander';
import type { CliCommand, Commands } from '../command-line/cli-command.ts';
import type { TerminalIo } from '../terminal/terminal-io.ts';

const shells = ['bash', 'zsh', 'fish'] as const;

/** Prints a script that completes commands and options in a shell. */
export const completion: CliCommand = (parent, io, done, commands) => {
  parent
    .command('completion')
    .addArgument(new Argument('<shell>', 'the shell').choices(shells))
    .description('Print a script for your shell that completes commands and options.')
    .action(async (shell: (typeof shells)[number]) => {
      const words = await wordsOf(io, commands);
      io.stdout.text(scripts[shell](words));
    });
};

/** Commands, and the words that may follow each of them. */
type Words = readonly (readonly [command: string, words: readonly string[]])[];

async function wordsOf(io: TerminalIo, commands: Commands): Promise<Words> {
  const root = new Command();
  for (const load of Object.values(commands)) (await load())(root, io, () => undefined, commands);
  return root.commands.map((command) => [
    command.name(),
    [
      ...command.commands.map((sub) => sub.name()),
      ...command
        .createHelp()
        .visibleOptions(command)
        .flatMap(({ long }) => (long ? [long] : [])),
    ],
  ]);
}

const scripts = {
  bash: (words: Words) => `_varve() {
  local words
  if [ "$COMP_CWORD" -eq 1 ]; then words="${namesOf(words)}"; else
    case "\${COMP_WORDS[1]}" in
${words.map(([name, after]) => `      ${name}) words="${after.join(' ')}" ;;`).join('\n')}
    esac
  fi
  COMPREPLY=($(compgen -W "$words" -- "\${COMP_WORDS[COMP_CWORD]}"))
}
complete -o default -F _varve varve
`,
  zsh: (words: Words) => `#compdef varve
_varve() {
  if (( CURRENT == 2 )); then compadd -- ${namesOf(words)}; return; fi
  case "\${words[2]}" in
${words.map(([name, after]) => `    ${name}) compadd -- ${after.join(' ')} ;;`).join('\n')}
  esac
  _files
}
compdef _varve varve
`,
  fish: (words: Words) =>
    [
      `complete -c varve -n __fish_use_subcommand -f -a '${namesOf(words)}'`,
      ...words.map(
        ([name, after]) => `complete -c varve -n '__fish_seen_subcommand_from ${name}' -a '${after.join(' ')}'`,
      ),
      '',
    ].join('\n'),
} as const;

function namesOf(words: Words): string {
  return words.map(([name]) => name).join(' ');
}
