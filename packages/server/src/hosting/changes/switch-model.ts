import { lazy, type Json } from '@varve/events';
import type { Cipher } from '@varve/settings/secrets';
import { redactSecretFields } from '@varve/text';
import * as z from 'zod';
import { RequestError } from '../../error.ts';
import { buildAgent } from '../../reference/request/build-agent.ts';
import type { LiveConversation } from '../live-conversation.ts';
import { decrypted, serverKeysIn } from '../../reference/private/private-values.ts';

const known = lazy(() => z.record(z.string(), z.record(z.string(), z.unknown())));

/**
 * Replaces the model of a conversation from the next step on. The first model of a usage id keeps that id: another one
 * with the same id changes nothing but which of them is used.
 *
 * @throws {RequestError} `unsupported` for a conversation that this server did not create, and for an agent in code.
 * @see agent-server 1.43.1 switch_llm, whose registry of models ignores a usage id that it has
 */
export async function switchModel(
  llm: Readonly<Record<string, unknown>>,
  live: LiveConversation,
  cipher: Cipher,
): Promise<void> {
  const { configuration, privateValues, registries, conversation } = live;
  if (!configuration || configuration.agent_name !== undefined)
    throw new RequestError('unsupported', 'The model of this conversation cannot be switched here.');
  const received = decrypted(llm, cipher);
  const usageId = usageOf(received);
  const current = configuration.agent['llm'] as Readonly<Record<string, unknown>>;
  const models = {
    [usageOf(current)]: current,
    ...known().catch({}).parse(configuration.models),
  };
  const isNew = !Object.hasOwn(models, usageId);
  const redacted = isNew ? redactSecretFields(received, '**********') : (models[usageId] ?? {});
  const agent = { ...configuration.agent, llm: redacted };
  if (isNew) {
    await privateValues.update({ keys: [...privateValues.record.keys, ...serverKeysIn(received)] });
  }
  const { model } = buildAgent(
    { llm: redacted, tools: [], include_default_tools: [], kind: 'Agent' } as Json,
    registries,
    {},
  ).agent;
  conversation.switchModel(model);
  await live.configure({ ...configuration, agent, models: { ...models, [usageId]: redacted } });
}

function usageOf({ usage_id: id }: Readonly<Record<string, unknown>>): string {
  return typeof id === 'string' ? id : 'default';
}
