import type { Conversation } from '@varve/agent';
import type { PermissionRule } from '@varve/agent/confirmation';
import type { AgentRegistries } from '@varve/agent/specs';
import type { Json } from '@varve/events';
import { HostedConversation } from '@varve/host';
import type { OpenConversation, OwnerQueue } from '@varve/host/kit';
import type { Delta, LanguageModel } from '@varve/llm';
import type { TitleModel } from '../settings/title-model.ts';
import { configurationFact, type Configuration } from '../reference/info/server-facts.ts';
import type { FeedMessage } from '../reference/info/feed.ts';
import type { PrivateValues } from '../reference/private/private-values.ts';

/** JSON of a confirmation policy, and of the analyzer next to it. */
export interface Confirmation {
  readonly policy: Json;
  readonly analyzer: Json;
}

/** Parts of a live conversation. */
export interface LiveParts {
  /** Closed with the live conversation. */
  readonly conversation: Conversation;
  /** Walls around the commands of the agent, closed after the conversation. */
  readonly walls: Disposable;
  readonly privateValues: PrivateValues;
  readonly registries: AgentRegistries;
  /** Rules of the person for calls. */
  readonly rules?: readonly PermissionRule[] | undefined;
  readonly queue: OwnerQueue;
  /** Absent for a conversation that another program created. */
  readonly configuration?: Configuration | undefined;
  readonly confirmation: Confirmation;
  readonly titleModel: TitleModel;
  readonly publish: (message: FeedMessage) => void;
  /** Receives a failure of a run that its result does not contain: a bug, or a store that failed. */
  readonly onFailure: (error: unknown) => void;
}

/** One open conversation with what its clients sent. */
export class LiveConversation implements OpenConversation {
  readonly hosted: HostedConversation;
  readonly privateValues: PrivateValues;
  readonly registries: AgentRegistries;
  /** Rules of the person for calls, which apply on top of every policy. */
  readonly rules: readonly PermissionRule[] | undefined;
  /** As it was last set. */
  confirmation: Confirmation;
  readonly #parts: LiveParts;
  #configuration: Configuration | undefined;

  constructor(parts: LiveParts) {
    const { conversation, publish, queue, onFailure } = parts;
    this.#parts = parts;
    this.privateValues = parts.privateValues;
    this.registries = parts.registries;
    this.rules = parts.rules;
    this.confirmation = parts.confirmation;
    this.#configuration = parts.configuration;
    this.hosted = new HostedConversation(conversation, {
      queue,
      title: conversation.titleWriter({ model: async () => this.#titleModel(), onFailure }),
      deltas: () => (isStreaming(this.#configuration) ? (delta) => publishDelta(delta, publish) : undefined),
      onIdle: () => publish({ kind: 'full_state' }),
      onFailure,
    });
  }

  get conversation(): Conversation {
    return this.hosted.conversation;
  }

  /** Absent for a conversation that another program created. */
  get configuration(): Configuration | undefined {
    return this.#configuration;
  }

  get isResumable(): boolean {
    return this.#configuration !== undefined;
  }

  /** Stores and applies a changed configuration. */
  async configure(configuration: Configuration): Promise<void> {
    await this.conversation.record((stamp) => configurationFact.create(configuration, stamp));
    this.#configuration = configuration;
  }

  async [Symbol.asyncDispose](): Promise<void> {
    await this.privateValues.close();
    await this.hosted[Symbol.asyncDispose]();
    this.#parts.walls[Symbol.dispose]();
  }

  /**
   * Returns the model of the title. A client that names a profile gets the title of the agent's model if that profile
   * cannot be used; without a profile and without `roles.title`, the first line of the first message is the title.
   *
   * @see agent-server 1.43.1 autotitle and title_llm_profile
   */
  async #titleModel(): Promise<LanguageModel | 'agent' | 'none'> {
    const configuration = this.#configuration;
    if (!configuration || configuration.request?.['autotitle'] === false) return 'none';
    const { title_llm_profile: profile } = configuration;
    return (await this.#parts.titleModel(profile)) ?? (profile === undefined ? 'none' : 'agent');
  }
}

/** Clients receive pieces of replies if they asked for them. */
function isStreaming(configuration: Configuration | undefined): boolean {
  if (configuration?.agent_name !== undefined) return true;
  const llm = configuration?.agent['llm'] as Json | undefined;
  return typeof llm === 'object' && llm !== null && 'stream' in llm && llm['stream'] === true;
}

/** Publishes a piece of text, which the model has masked. Clients receive no pieces of calls. */
function publishDelta(delta: Delta, publish: LiveParts['publish']): void {
  if (delta.kind === 'text') publish({ kind: 'delta', content: delta.text });
  if (delta.kind === 'reasoning') publish({ kind: 'delta', reasoning_content: delta.text });
}
