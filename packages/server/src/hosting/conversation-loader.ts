import { isDeepStrictEqual } from 'node:util';
import { Conversation, defineAgent, type Agent } from '@varve/agent';
import { lazy, type Json } from '@varve/events';
import type { SpanSink } from '@varve/events/spans';
import {
  personSecrets,
  providerKeys,
  storedAgentParts,
  type PersonSecrets,
  type StoredAgentParts,
} from '@varve/settings/agent';
import type { Cipher, PrivateRecords } from '@varve/settings/secrets';
import { StorageError, type EventStore } from '@varve/storage';
import { agentNamed, isOwned, type AgentsByName, type OwnerQueue } from '@varve/host/kit';
import { configurationFact, type Configuration } from '../reference/info/server-facts.ts';
import { dashedId } from '../reference/info/conversation-id.ts';
import type { Feed } from '../reference/info/feed.ts';
import { type ConversationFolds, shownUsage } from '../reference/info/conversation-folds.ts';
import { storedConfiguration, type StoredConfiguration } from '../reference/info/logged-configuration.ts';
import { buildAgent, type AgentEnvironment } from '../reference/request/build-agent.ts';
import { LiveConversation, type Confirmation } from './live-conversation.ts';
import {
  noPrivateValues,
  parsePrivateRecord,
  PrivateValues,
  type PrivateRecord,
} from '../reference/private/private-values.ts';
import { maskDeltas } from '../reference/private/mask-deltas.ts';
import { referenceKeys } from '../reference/private/reference-keys.ts';

import { requestedAgentOf } from '../reference/request/requested-agent.ts';

import { surroundingsOf, type Surroundings, type SurroundingsOptions } from '../reference/request/surroundings.ts';
import * as z from 'zod';
import type { SecretsInUse } from '../reference/private/secrets-in-use.ts';
import type { TitleModel } from '../settings/title-model.ts';
import { supportedAgent, type StartPlan } from '../reference/request/start-plan.ts';

/** What live conversations are made of. */
export interface LoaderOptions {
  readonly store: EventStore;
  readonly folds: ConversationFolds;
  readonly records: PrivateRecords;
  /** Returns the cipher of what clients send encrypted. */
  readonly cipher: () => Promise<Cipher>;
  readonly environment: AgentEnvironment;
  /** Agents in code. */
  readonly agents: AgentsByName;
  readonly feed: Pick<Feed, 'publish'>;
  readonly titleModel: TitleModel;
  readonly secrets: Pick<SecretsInUse, 'set' | 'remove'>;
  readonly spans?: SpanSink | undefined;
  /** UTC milliseconds. */
  readonly now: () => number;
  readonly onFailure: (error: unknown, conversationId: string) => void;
  /** Receives a sentence about what has no effect in the agent of a conversation. */
  readonly onNotice: (notice: string, conversationId: string) => void;
}

/** Options of a fork. */
export interface ForkOptions {
  /** Id of the last event to copy; default the end of the active branch. */
  readonly at?: string | undefined;
  readonly title?: string | undefined;
  readonly tags?: Readonly<Record<string, string>> | undefined;
  /** True to show the usage of the origin as part of its own; it counts in no limit. */
  readonly keepsMetrics?: boolean | undefined;
}

/** Where a new conversation works, whose it is, and the queue of its runs. */
interface NewPlace {
  readonly workspace: string;
  readonly owner: string | undefined;
  readonly queue: OwnerQueue;
}

/** Stored state of a conversation. It may change until the conversation is held. */
interface StoredState {
  readonly stored: StoredConfiguration;
  readonly configuration: Configuration | undefined;
  readonly confirmation: Confirmation;
  readonly values: PrivateRecord;
}

/** Attempts to open a conversation that another server changes between its reading and its opening. */
const maxAttempts = 20;

/** Creates and opens the conversations of a server. */
export class ConversationLoader {
  readonly #options: LoaderOptions;

  constructor(options: LoaderOptions) {
    this.#options = options;
  }

  /**
   * Opens a stored conversation with the agent of its configuration, or else the one of its log.
   *
   * @throws {AgentError} what `Conversation.open` throws; {@link StorageError} `missing`, `held`; {@link RequestError}
   * as {@link surroundingsOf}.
   */
  async load(id: string, queue: OwnerQueue): Promise<LiveConversation> {
    for (let attempt = 0; attempt < maxAttempts; attempt += 1) {
      const live = await this.#tryLoad(id, await this.#stored(id), queue);
      if (live) return live;
    }
    throw new StorageError('held', `Conversation ${id} is being changed by another server.`);
  }

  /** Opens a conversation; undefined if another server changed it between its reading and its opening. */
  async #tryLoad(id: string, read: StoredState, queue: OwnerQueue): Promise<LiveConversation | undefined> {
    const { store, now, spans } = this.#options;
    const { stored, configuration, values } = read;
    const privateValues = await this.#values(id, values, { isNew: false });
    if (!configuration) await this.#addReferenceKeys(privateValues, stored.agent);
    // As in the log, whatever is stored next to it: hooks, rules and servers are those of this directory.
    const workspace = stored.workspace || '.';
    await using surroundings = await this.#surroundings(privateValues, {
      workspace,
      configuration,
      stored: partsOf(stored),
    });
    const { registries } = surroundings;
    const agent = configuration && (await this.#storedAgent(configuration, surroundings, privateValues));
    const conversation = await Conversation.open({
      id,
      store,
      registries,
      missingTools: missingToolsOf(configuration),
      secrets: () => privateValues.values,
      now,
      spans,
      ...(agent ? { agent } : { parts: surroundings.parts }),
    });
    await using opened = new AsyncDisposableStack();
    opened.use(conversation);
    const held = await this.#stored(id);
    if (!isDeepStrictEqual([held.configuration, held.values], [configuration, values])) return undefined;
    await privateValues.hold();
    opened.move();
    const { confirmation } = held;
    return this.#live({ conversation, privateValues, surroundings, configuration, confirmation, queue });
  }

  async #stored(id: string): Promise<StoredState> {
    const { store, folds, records } = this.#options;
    const summary = await store.summary(id);
    const fold = await folds.of(summary);
    const stored = storedConfiguration(summary, fold);
    const { configuration, fields } = fold.reported;
    const confirmation = confirmationOf([{ confirmation_policy: stored.policy }, fields, stored, stored.agent]);
    const text = await records.read(id);
    return {
      stored,
      configuration,
      confirmation,
      values: text === undefined ? noPrivateValues : parsePrivateRecord(text),
    };
  }

  /**
   * Creates a conversation.
   *
   * @throws {RequestError} `invalid` for tools that this server does not have; {@link AgentError} `invalid`;
   * {@link StorageError} `exists`.
   */
  async create(id: string, plan: StartPlan, { workspace, queue, owner }: NewPlace): Promise<LiveConversation> {
    const { store, now, spans } = this.#options;
    const { clientTools, configuration } = plan;
    const privateValues = await this.#values(id, plan.privateRecord, { isNew: true });
    await using surroundings = await this.#surroundings(privateValues, { workspace, configuration });
    const { named } = plan;
    const agent = named ? this.#protected(named, privateValues) : requestedAgentOf(plan, surroundings);
    const secrets = (): readonly string[] => privateValues.values;
    const parts = { id, agent, store, workspace, owner, clientTools, secrets, now, spans };
    const conversation = await Conversation.create(parts);
    return await this.#complete(conversation, privateValues, async () => {
      await conversation.record((stamp) => configurationFact.create(configuration, stamp));
      const { spec, analyzer = null } = agent.confirmation;
      return this.#live({
        conversation,
        privateValues,
        surroundings,
        configuration,
        confirmation: { policy: spec, analyzer: plan.spec['security_analyzer'] ?? analyzer },
        queue,
      });
    });
  }

  /**
   * Creates a copy of a conversation up to an event, with its own private values.
   *
   * @throws {AgentError} `invalid`; {@link StorageError} `exists`.
   */
  async fork(id: string, origin: LiveConversation, fork: ForkOptions, queue: OwnerQueue): Promise<LiveConversation> {
    const { at, title } = fork;
    const privateValues = await this.#values(id, origin.privateValues.record, { isNew: true });
    const before = origin.configuration;
    const { workspace } = origin.conversation;
    const { stored } = await this.#stored(origin.conversation.id);
    await using surroundings = await this.#surroundings(privateValues, {
      workspace,
      configuration: before,
      stored: partsOf(stored),
    });
    const agent = before && (await this.#storedAgent(before, surroundings, privateValues));
    const secrets = (): readonly string[] => privateValues.values;
    const conversation = await origin.conversation.fork({
      id,
      secrets,
      missingTools: missingToolsOf(before),
      ...(agent && { agent }),
      ...(at !== undefined && { at }),
    });
    return await this.#complete(conversation, privateValues, async () => {
      const configuration = before && (await this.#forkedConfiguration(before, origin.conversation.id, fork));
      const { confirmation } = origin;
      const live = this.#live({ conversation, privateValues, surroundings, configuration, confirmation, queue });
      if (configuration) await live.configure(configuration);
      if (title !== undefined) await conversation.rename(title);
      return live;
    });
  }

  async #forkedConfiguration(
    before: Configuration,
    originId: string,
    { at, title, tags = {}, keepsMetrics }: ForkOptions,
  ): Promise<Configuration> {
    const inherited = keepsMetrics ? await this.#usageOf(originId) : undefined;
    const { inherited_usage: _usage, ...kept } = before;
    return {
      ...(kept as Configuration),
      forked_from_conversation_id: dashedId(originId),
      ...(at && { forked_from_event_id: at }),
      ...(inherited && { inherited_usage: inherited }),
      tags: title === undefined ? tags : { ...tags, title },
    };
  }

  /** Returns the usage that a conversation shows, by usage id. */
  async #usageOf(id: string): Promise<Configuration['inherited_usage']> {
    const { store, folds } = this.#options;
    return shownUsage(await folds.of(await store.summary(id)));
  }

  /**
   * Stores the private values of a conversation that was just created, and completes it. The values are not stored
   * before: another server of the store may be creating it with others. One that cannot be completed is removed.
   */
  async #complete(
    conversation: Conversation,
    privateValues: PrivateValues,
    complete: () => Promise<LiveConversation>,
  ): Promise<LiveConversation> {
    const { store, records, onFailure } = this.#options;
    const { id } = conversation;
    try {
      await privateValues.hold();
      return await complete();
    } catch (error) {
      await conversation[Symbol.asyncDispose]();
      if (!isOwned(error)) {
        await Promise.all([store.remove(id), records.remove(id)]).catch((failure: unknown) => onFailure(failure, id));
      }
      throw error;
    }
  }

  async #values(id: string, record: PrivateRecord, { isNew }: { readonly isNew: boolean }): Promise<PrivateValues> {
    const { records, secrets } = this.#options;
    const onValues = (values: readonly string[]): void => secrets.set(id, values);
    return new PrivateValues(id, record, { records, person: await this.#person(record), onValues, isNew });
  }

  /** A conversation of the reference has the encrypted keys of its agent in its files until it is used here. */
  async #addReferenceKeys(privateValues: PrivateValues, agent: unknown): Promise<void> {
    if (agent === undefined) return;
    const { cipher, environment } = this.#options;
    const { keys: stored } = privateValues.record;
    const named = (await environment.settings?.addresses()) ?? [];
    const { keys, withheld } = referenceKeys(agent, await cipher(), named);
    const hasKey = (address: string): boolean => stored.some(({ baseUrl }) => baseUrl === address);
    const added = keys.filter(({ baseUrl }) => !hasKey(baseUrl));
    if (added.length > 0) await privateValues.update({ keys: [...stored, ...added] });
    privateValues.withhold(withheld.filter((address) => !hasKey(address)));
  }

  /** Secrets of the person for the commands of one conversation. */
  async #person({ keys }: PrivateRecord): Promise<PersonSecrets> {
    const { settings, env } = this.#options.environment;
    const masked = providerKeys(env);
    if (!settings) return { masked, variables: {}, referable: {}, problems: [] };
    const secrets = await personSecrets(
      settings.secrets,
      keys.map(({ apiKey }) => apiKey),
    );
    return { ...secrets, masked: [...masked, ...secrets.masked] };
  }

  #live(parts: {
    readonly conversation: Conversation;
    readonly privateValues: PrivateValues;
    readonly surroundings: Surroundings;
    readonly configuration: Configuration | undefined;
    readonly confirmation: Confirmation;
    readonly queue: OwnerQueue;
  }): LiveConversation {
    const { feed, titleModel, onFailure } = this.#options;
    const { id } = parts.conversation;
    const { registries, rules, takeWalls } = parts.surroundings;
    return new LiveConversation({
      ...parts,
      walls: takeWalls(),
      registries,
      rules,
      titleModel,
      publish: (message) => feed.publish(id, message),
      onFailure: (error) => onFailure(error, id),
    });
  }

  /** Each conversation takes over the connections that its tools use; the others are closed with its surroundings. */
  #surroundings(
    privateValues: PrivateValues,
    {
      configuration,
      ...place
    }: Pick<SurroundingsOptions, 'workspace' | 'stored'> & {
      readonly configuration: Configuration | undefined;
    },
  ): Promise<Surroundings> {
    const { environment, onNotice } = this.#options;
    return surroundingsOf({
      // An agent in code has its own surroundings.
      environment: configuration?.agent_name === undefined ? environment : { ...environment, settings: undefined },
      privateValues,
      ...place,
      agent: configuration?.agent,
      agentDefinitions: configuration?.agent_definitions,
      profile: profileOf(configuration),
      onNotice: (notice) => onNotice(notice, privateValues.id),
    });
  }

  /** Policies are left at their defaults, because those of the log apply. */
  async #storedAgent(
    { agent, agent_name: name }: Configuration,
    { registries, parts, added }: Surroundings,
    privateValues: PrivateValues,
  ): Promise<Agent> {
    if (name !== undefined) return this.#protected(await agentNamed(name, this.#options.agents), privateValues);
    return buildAgent(added(supportedAgent(agent)) as Json, registries, parts).agent;
  }

  /** Returns an agent in code with masked pieces of replies, wrapped models and a protected data directory. */
  #protected(agent: Agent, { redactor }: PrivateValues): Agent {
    const { home, wrapModel = (model) => model } = this.#options.environment;
    const model = maskDeltas(redactor)(wrapModel(agent.model));
    const protectedPaths = [...agent.protectedPaths, ...(home === undefined ? [] : [home])];
    return defineAgent({ ...agent, model, protectedPaths });
  }
}

/** An agent in code without its tools is the one of another version of the server. */
function missingToolsOf(configuration: Configuration | undefined): 'accept' | 'refuse' {
  return configuration?.agent_name === undefined ? 'accept' : 'refuse';
}

/** Returns the parts of the agent in a log. */
function partsOf({ agent }: StoredConfiguration): StoredAgentParts {
  return storedAgentParts(agent === undefined ? {} : { agent: agent as Json });
}

/** A conversation of a client has the profile that it was launched from; one of the command that in use. */
function profileOf(configuration: Configuration | undefined): SurroundingsOptions['profile'] {
  if (!configuration) return 'in-use';
  const id = configuration.launched_agent_profile?.['agent_profile_id'];
  return typeof id === 'string' ? { id } : undefined;
}

const policies = lazy(() => z.looseObject({ confirmation_policy: z.unknown(), security_analyzer: z.unknown() }));

/** Returns the confirmation that the first source with each field contains. */
function confirmationOf(sources: readonly unknown[]): Confirmation {
  const fields = sources.map((source) => policies().partial().safeParse(source).data ?? {});
  const policy = fields.find((each) => Boolean(each.confirmation_policy))?.confirmation_policy;
  const analyzer = fields.find((each) => each.security_analyzer !== undefined)?.security_analyzer;
  return { policy: (policy ?? { kind: 'NeverConfirm' }) as Json, analyzer: (analyzer ?? null) as Json };
}
