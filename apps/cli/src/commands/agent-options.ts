import { Option, type Command } from 'commander';

/** Descriptions of options that differ between commands. */
export interface AgentOptionTexts {
  readonly confirm: string;
  /** Absent for a command whose client chooses the directories. */
  readonly workspace?: string;
}

/** Adds the options of a command that is used through a session, an editor or another client. */
export function addAgentOptions(command: Command, { confirm, workspace }: AgentOptionTexts): Command {
  command
    .option('-m, --model <name>', 'the model: NAME of OpenAI, or PROVIDER/NAME (LLM_MODEL)')
    .option('--base-url <url>', 'any server with the OpenAI chat protocol (LLM_BASE_URL)')
    .option('--profile <name>', 'use this model profile (`varve profile`)');
  if (workspace !== undefined) command.option('-w, --workspace <dir>', workspace);
  return command
    .option('--workspace-server <url>', 'run commands and edit files on this agent-server (default: here)')
    .option('--store <url>', 'store of the logs: sqlite:FILE, dir:PATH or memory: (VARVE_STORE)')
    .addOption(new Option('--confirm <policy>', confirm).choices(['ask', 'auto', 'never']))
    .addOption(
      new Option('--sandbox <profile>', 'walls around commands: workspace, read-only, off').choices([
        'workspace',
        'read-only',
        'off',
      ]),
    );
}
