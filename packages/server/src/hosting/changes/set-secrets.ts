import type { SecretSource } from '@varve/settings/secrets';
import type { LiveConversation } from '../live-conversation.ts';
import { secretSources } from '../request/start-plan.ts';

/** Adds or replaces secrets by name. Commands that name them receive them from now on, and they are masked. */
export async function setSecrets(added: Readonly<Record<string, SecretSource>>, live: LiveConversation): Promise<void> {
  const { privateValues, configuration } = live;
  const secrets = { ...privateValues.record.secrets, ...added };
  await privateValues.update({ secrets });
  if (configuration) await live.configure({ ...configuration, secret_sources: secretSources(secrets) });
}
