import type { LanguageModel } from '@varve/llm';
import type { Settings } from '../layers/resolve-settings.ts';
import type { ModelRole } from '../profiles/model-profiles.ts';
import type { SecretStore } from '../secrets/secret-store.ts';
import { modelFromSettings, type ConfiguredModel, type ModelOptions } from './model-from-settings.ts';
import type { StoredAgentParts } from './stored-agent-parts.ts';

/** Options of {@link RoleModels}. */
export interface RoleModelsOptions extends Pick<ModelOptions, 'home' | 'env' | 'now' | 'fetch' | 'notices'> {
  readonly settings: Settings;
  readonly secrets: SecretStore;
  /** Model of the caller for the agent. */
  readonly model?: LanguageModel;
  readonly stored?: StoredAgentParts;
}

/** Models of one conversation by role, each created once. Disposing writes what their dumps have not written. */
export class RoleModels implements AsyncDisposable {
  readonly #options: RoleModelsOptions;
  readonly #created = new Map<ModelRole, Promise<ConfiguredModel>>();

  constructor(options: RoleModelsOptions) {
    this.#options = options;
  }

  /** Returns the model of a role. @throws as `modelFromSettings`. */
  create(role: ModelRole): Promise<ConfiguredModel> {
    const created = this.#created.get(role) ?? this.#new(role);
    this.#created.set(role, created);
    return created;
  }

  /** Returns the model of a role with a profile of its own; undefined for another role. */
  async own(role: ModelRole): Promise<ConfiguredModel | undefined> {
    return this.#options.settings.get(`roles.${role}`) === undefined ? undefined : this.create(role);
  }

  async [Symbol.asyncDispose](): Promise<void> {
    for (const model of await Promise.allSettled(this.#created.values()))
      if (model.status === 'fulfilled') await model.value.flushDumps();
  }

  async #new(role: ModelRole): Promise<ConfiguredModel> {
    const { model, stored, secrets, ...options } = this.#options;
    if (model && role === 'agent') return { model, secrets: [], flushDumps: async () => undefined };
    return modelFromSettings({
      ...options,
      role,
      secret: (name) => secrets.value(name),
      decrypt: async (token) => (await secrets.cipher()).decrypt(token),
      ...(role === 'agent' && stored?.model && { stored: stored.model }),
    });
  }
}
