import { canonicalId, StorageError, type EventStore } from '@varve/storage';
import type { Json } from '@varve/events';
import { defaultBudget, defaultConfirmation, defaultStuck, type Agent } from '../agent/agent.ts';
import { AgentError } from '../error.ts';
import type { StoredSettings } from '../log/settings.ts';
import { agentFromSpec, requireAgent } from '../specs/agent-from-spec.ts';
import { agentRegistries } from '../specs/agent-registries.ts';
import { objectOf } from '../specs/part-reader.ts';
import type { OpenOptions } from './conversation-options.ts';

/** A stored conversation, to be opened without an agent. */
export interface StoredConversation {
  readonly id: string;
  readonly settings: StoredSettings;
  /** Names of the tools in its log, for a spec that lists none. */
  readonly toolNames: readonly string[];
}

/**
 * Rebuilds the agent of a stored conversation. Confirmation, budget and stuck rules are left at their defaults, because
 * those that apply are read from the log when it is opened.
 *
 * @throws {AgentError} `not-rebuilt` for a conversation without an agent, or one that lacks an essential part.
 */
export function storedAgent(
  { id, settings, toolNames }: StoredConversation,
  { registries = agentRegistries(), onMissing, parts = {} }: Pick<OpenOptions, 'registries' | 'onMissing' | 'parts'>,
): Agent {
  if (settings.agent === undefined) {
    throw new AgentError('not-rebuilt', `Conversation ${id} has no stored agent: pass one.`);
  }
  const replace = { ...parts, confirmation: defaultConfirmation, budget: defaultBudget, stuck: defaultStuck };
  const rebuilt = agentFromSpec(withTools(settings, toolNames), { registries, replace });
  const agent = requireAgent(rebuilt, `conversation ${id}`);
  if (rebuilt.missing.length > 0) onMissing?.(rebuilt.missing);
  return agent;
}

/** Specs of earlier versions list no tools. Those of a client belong to the conversation. */
function withTools({ agent = null, client_tools: clientTools }: StoredSettings, names: readonly string[]): Json {
  const spec = objectOf(agent);
  const isListed = !spec || spec['tools'] !== undefined || spec['llm'] !== undefined;
  if (isListed || names.length === 0) return agent;
  const added = new Set((clientTools ?? []).map((tool) => objectOf(tool)?.['name']));
  return { ...spec, tools: names.filter((name) => !added.has(name)).map((name) => ({ name, params: {} })) };
}

/**
 * Returns the id under which a conversation is stored: the given one, or else its canonical form, under which a
 * UUID with hyphens is stored here. An import keeps the id of its bundle.
 */
export async function storedId(store: EventStore, id: string): Promise<string> {
  const canonical = canonicalId(id);
  if (canonical === id || !(await isStored(store, id))) return canonical;
  return id;
}

/** Returns true if a store has a conversation. @throws {StorageError} `invalid`, `io`. */
export async function isStored(store: EventStore, id: string): Promise<boolean> {
  try {
    await store.summary(id);
    return true;
  } catch (error) {
    if (error instanceof StorageError && error.code === 'missing') return false;
    throw error;
  }
}
