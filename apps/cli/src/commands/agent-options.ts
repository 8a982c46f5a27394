import { Option, type Command } from 'commander';
import { confirmHelp, confirmNames, type ConfirmMode } from '../opening/confirm-modes.ts';

/** Descriptions of options that differ between commands. */
export interface AgentOptionTexts {
  /** Default: what is asked about. */
  readonly confirm?: string;
  /** Absent for a command whose client chooses the directories. */
  readonly workspace?: string;
}

/** Earlier names of modes. */
const aliases: Readonly<Record<string, ConfirmMode>> = { always: 'ask', risky: 'auto' };

/** Returns the option that chooses what is asked about. */
export function confirmOption(text: string): Option {
  const names = [...confirmNames, ...Object.keys(aliases)];
  const option = new Option('--confirm <mode>', `${text} (${confirmHelp()})`).choices(names);
  const { parseArg: checked } = option;
  return option.argParser((name: string) => {
    checked?.(name, undefined);
    return aliases[name] ?? name;
  });
}

/** Returns the option that chooses the walls around commands. */
export function sandboxOption(text: string): Option {
  return new Option('--sandbox <profile>', text).choices(['workspace', 'read-only', 'off']);
}

/** Adds the options of a command that is used through a session, an editor or another client. */
export function addAgentOptions(
  command: Command,
  { confirm = 'what is asked about', workspace }: AgentOptionTexts,
): Command {
  command
    .option('-m, --model <name>', 'the model: NAME of OpenAI, or PROVIDER/NAME (LLM_MODEL)')
    .option('--base-url <url>', 'any server with the OpenAI chat protocol (LLM_BASE_URL)')
    .option('--profile <name>', 'use this model profile (`varve profile`)');
  if (workspace !== undefined) command.option('-w, --workspace <dir>', workspace);
  return command
    .option('--workspace-server <url>', 'run commands and edit files on this agent-server (default: here)')
    .option('--store <url>', 'store of the logs: sqlite:FILE, dir:PATH or memory: (VARVE_STORE)')
    .addOption(confirmOption(confirm))
    .addOption(sandboxOption('walls around commands: workspace, read-only, off'));
}
