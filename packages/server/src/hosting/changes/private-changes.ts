import type { Cipher } from '@varve/settings/secrets';
import { RequestError } from '../../error.ts';
import type { LiveConversation } from '../live-conversation.ts';
import { receivedSecrets, secretSources } from '../../reference/request/start-plan.ts';

/**
 * Adds or replaces secrets by name. Commands that name them receive them from now on, and they are masked.
 *
 * @throws {RequestError} `invalid`.
 */
export async function setSecrets(
  sent: Readonly<Record<string, unknown>>,
  live: LiveConversation,
  cipher: Cipher,
): Promise<void> {
  const { privateValues, configuration } = live;
  const secrets = { ...privateValues.record.secrets, ...receivedSecrets(sent, cipher) };
  await privateValues.update({ secrets });
  if (configuration) await live.configure({ ...configuration, secret_sources: secretSources(secrets) });
}

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
  await live.hosted.runs.settled();
  if (live.hosted.runs.isActive)
    throw new RequestError('unsupported', 'A plugin cannot be loaded while the conversation is running.');
  const { plugins = [] } = privateValues.record;
  await privateValues.update({ plugins: [...new Set([...plugins, directory])] });
}
