import type { AvailableCommand, ContentBlock } from '@agentclientprotocol/sdk';
import { loadPromptCommands, promptOf, type PromptCommand } from '@varve/settings/agent';
import { userHome, varveHome } from '../home/varve-home.ts';
import type { TerminalIo } from '../terminal/terminal-io.ts';

/** Command that acts on the conversation instead of being sent. */
const condense: AvailableCommand = {
  name: 'condense',
  description: 'Shortens what the model sees; the log keeps everything.',
  input: { hint: 'focus' },
};

/** Returns the commands of an editor in a directory. */
export async function availableCommands(workspace: string, io: TerminalIo): Promise<AvailableCommand[]> {
  const files = (await fileCommands(workspace, io)).filter(({ name }) => name !== condense.name);
  const others = files.map(({ name, description, argument }) => {
    return { name, description, input: argument === undefined ? null : { hint: argument } };
  });
  return [condense, ...others];
}

/** Returns a prompt with the text of a command of a file in place of its name, or the focus of `/condense`. */
export async function typedPrompt(
  blocks: readonly ContentBlock[],
  workspace: string,
  io: TerminalIo,
): Promise<{ readonly blocks: readonly ContentBlock[] } | { readonly focus: string }> {
  const [first, ...others] = blocks;
  const text = first?.type === 'text' ? first.text : '';
  const name = /^\/(\S+)/.exec(text)?.[1];
  if (name === undefined) return { blocks };
  const typed = text.slice(name.length + 1).trim();
  if (name === condense.name) return { focus: typed };
  const command = (await fileCommands(workspace, io)).find((each) => each.name === name);
  return { blocks: command ? [{ type: 'text', text: promptOf(command, typed) }, ...others] : blocks };
}

async function fileCommands(workspace: string, io: TerminalIo): Promise<readonly PromptCommand[]> {
  return (await loadPromptCommands(workspace, { home: varveHome(io), userHome: userHome(io) })).commands;
}
