import { RequestError } from '../../error.ts';
import type { LiveConversation } from '../live-conversation.ts';

/**
 * Adds the skills of a plugin, for the next time the conversation is opened.
 *
 * @throws {RequestError} `unsupported` for an agent without a context, and while it is running.
 */
export async function addPlugin(directory: string, live: LiveConversation): Promise<void> {
  const { configuration, privateValues } = live;
  if (!configuration?.agent['agent_context']) {
    throw new RequestError('unsupported', 'Plugins need an agent with an agent_context.');
  }
  await live.settled();
  if (live.isRunning)
    throw new RequestError('unsupported', 'A plugin cannot be loaded while the conversation is running.');
  const { plugins = [] } = privateValues.record;
  await privateValues.update({ plugins: [...new Set([...plugins, directory])] });
}
