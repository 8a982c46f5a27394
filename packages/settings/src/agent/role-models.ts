import type { LanguageModel } from '@varve/llm';
import type { Settings } from '../layers/resolve-settings.ts';
import type { ModelRole } from '../profiles/model-profiles.ts';
import type { SecretStore } from '../secrets/secret-store.ts';
import { modelFromSettings, type ConfiguredModel, type ModelOptions } from './model-from-settings.ts';
import type { StoredAgentParts } from './stored-agent-parts.ts';

/** Options of {@link RoleModels}. */
export interface RoleModelsOptions extends Pick<ModelOptions, 'home' | 'env' | 'now' | 'fetch' | 'native' | 'notices'> {
  readonly settings: Settings;
  readonly secrets: SecretStore;
  /** Model of the caller for the agent. */
  readonly model?: LanguageModel;
  readonly stored?: StoredAgentParts;
}

/** Models of one conversation by role, each created once. Disposing writes what their dumps have not written. */
export class RoleModels implements AsyncDisposable {
  readonly #options: RoleModelsOptions;
  readonly #created = new Map<string, Promise<ConfiguredModel>>();

  constructor(options: RoleModelsOptions) {
    this.#options = options;
  }

  /** Returns the model of a role. @throws as `modelFromSettings`. */
  create(role: ModelRole): Promise<ConfiguredModel> {
    return this.#once(`role:${role}`, { role });
  }

  /** Returns the model of a role with a profile of its own; undefined for another role. */
  async own(role: ModelRole): Promise<ConfiguredModel | undefined> {
    return this.#options.settings.get(`roles.${role}`) === undefined ? undefined : this.create(role);
  }

  /** Returns the model of a profile. @throws as `modelFromSettings`. */
  profile(name: string): Promise<ConfiguredModel> {
    return this.#once(`profile:${name}`, { profile: name });
  }

  async [Symbol.asyncDispose](): Promise<void> {
    for (const model of await Promise.allSettled(this.#created.values()))
      if (model.status === 'fulfilled') await model.value.flushDumps();
  }

  #once(key: string, use: Pick<ModelOptions, 'role' | 'profile'>): Promise<ConfiguredModel> {
    const created = this.#created.get(key) ?? this.#new(use);
    this.#created.set(key, created);
    return created;
  }

  async #new(use: Pick<ModelOptions, 'role' | 'profile'>): Promise<ConfiguredModel> {
    const { model, stored, secrets, notices, ...options } = this.#options;
    const isAgent = use.role === 'agent';
    if (model && isAgent) return { model, secrets: [], isPriced: true, flushDumps: async () => undefined };
    return modelFromSettings({
      ...options,
      ...use,
      // A title that fails is not reported.
      ...(notices && use.role !== 'title' && { notices }),
      secret: (name) => secrets.value(name),
      decrypt: async (token) => (await secrets.cipher()).decrypt(token),
      ...(isAgent && stored?.model && { stored: stored.model }),
    });
  }
}
