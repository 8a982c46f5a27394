import type { AgentOptions } from '@varve/agent';
import { readSettings } from '@varve/agent/replay';
import type { Json } from '@varve/events';
import type { EventStore } from '@varve/storage';
import { resolveId } from '../setup/resolve-id.ts';
import { modelParameters } from '@varve/llm/specs';
import { storedModel, type StoredModel } from '@varve/settings/agent';

/** Facts about a stored conversation that a resumed run needs before it is opened. */
export interface StoredRun {
  readonly id: string;
  readonly model?: StoredModel;
  readonly parameters?: NonNullable<AgentOptions['parameters']>;
  /** False for imported conversations until their first run here. */
  readonly hasWorkspace: boolean;
  /** Directory of the agent, if the log has one. */
  readonly workspace?: string;
  /** False for imported conversations, and logs without a confirmation policy. */
  readonly hasPolicy: boolean;
}

/**
 * Reads the model, parameters and settings that a conversation was last used with.
 *
 * @throws {StorageError} `missing`; {@link CliError} for an ambiguous id.
 */
export async function storedRun(store: EventStore, typedId: string): Promise<StoredRun> {
  const id = await resolveId(store, typedId);
  const { meta } = await store.summary(id);
  // From the log: what is stored next to it may have been changed, or come with an imported conversation.
  const settings = await readSettings(await store.read(id), meta);
  const { agent, workspace } = settings;
  const model = storedModel(agent);
  const { data: parameters } = modelParameters.safeParse(fieldOf(agent, 'parameters'));
  // The reference stores the policy next to its agent.
  const policy = fieldOf(agent, 'confirmation_policy') ?? fieldOf(settings, 'confirmation_policy');
  return {
    id,
    hasWorkspace: workspace !== undefined,
    ...(typeof workspace === 'string' && { workspace }),
    ...(model && { model }),
    ...(parameters && { parameters }),
    hasPolicy: policy !== undefined && policy !== null,
  };
}

function fieldOf(value: Json | undefined, name: string): Json | undefined {
  if (typeof value !== 'object' || value === null || Array.isArray(value)) return undefined;
  return (value as Readonly<Record<string, Json>>)[name];
}
