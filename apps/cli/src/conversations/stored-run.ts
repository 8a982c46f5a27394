import { readSettings } from '@varve/agent/replay';
import type { EventStore } from '@varve/storage';
import { resolveId } from '../home/resolve-id.ts';
import { storedAgentParts, type StoredAgentParts } from '@varve/settings/agent';

/** Facts about a stored conversation that a resumed run needs before it is opened. */
export interface StoredRun extends StoredAgentParts {
  readonly id: string;
  /** False for imported conversations until their first run here. */
  readonly hasWorkspace: boolean;
  /** Directory of the agent, if the log has one. */
  readonly workspace?: string;
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
  const { workspace } = settings;
  return {
    id,
    hasWorkspace: workspace !== undefined,
    ...(typeof workspace === 'string' && { workspace }),
    ...storedAgentParts(settings),
  };
}
