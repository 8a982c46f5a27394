import { AgentError, Conversation, type Agent, type AgentOptions } from '@varve/agent';
import type { AgentRegistries } from '@varve/agent/specs';
import type { Json } from '@varve/events';
import type { Cipher, PrivateRecords } from '@varve/settings/secrets';
import type { EventStore } from '@varve/storage';
import { configurationFact, type Configuration } from '../configuration-fact.ts';
import { dashedId } from '../conversation-id.ts';
import type { Feed } from '../feed/feed.ts';
import type { ConversationFolds } from '../info/conversation-folds.ts';
import { RequestError } from '../request-error.ts';
import { buildAgent, registriesFor, type AgentEnvironment } from './build-agent.ts';
import { LiveConversation, type Confirmation } from './live-conversation.ts';
import { noPrivateValues, parsePrivateRecord, PrivateValues, serverKeysIn } from './private-values.ts';
import { withReferenceKinds } from './reference-kinds.ts';
import { skillsIn } from './request-skills.ts';
import type { RunQueue } from './run-queue.ts';
import { startToolServers, type ToolServers } from './tool-servers.ts';
import * as z from 'zod';
import { decrypted, supportedAgent, type StartPlan } from './start-plan.ts';

/** What live conversations are made of. */
export interface LoaderOptions {
  readonly store: EventStore;
  readonly folds: ConversationFolds;
  readonly records: PrivateRecords;
  /** Returns the cipher of what clients send encrypted. */
  readonly cipher: () => Promise<Cipher>;
  readonly environment: AgentEnvironment;
  readonly queue: RunQueue;
  readonly feed: Pick<Feed, 'publish'>;
  /** UTC milliseconds. */
  readonly now: () => number;
  readonly onFailure: (error: unknown, conversationId: string) => void;
}

/** Options of a fork. */
export interface ForkOptions {
  /** Id of the last event to copy; default the end of the active branch. */
  readonly at?: string | undefined;
  readonly title?: string | undefined;
  readonly tags?: Readonly<Record<string, string>> | undefined;
}

/** Creates and opens the conversations of a server. */
export class ConversationLoader {
  readonly #options: LoaderOptions;

  constructor(options: LoaderOptions) {
    this.#options = options;
  }

  /**
   * Opens a stored conversation with the agent of its configuration, or else the one of its log.
   *
   * @throws {AgentError} what `Conversation.open` throws; {@link StorageError} `missing`, `held`.
   */
  async load(id: string): Promise<LiveConversation> {
    const { store, folds, now } = this.#options;
    const summary = await store.summary(id);
    const { reported } = await folds.of(summary);
    const privateValues = await this.#privateValues(id, summary.meta);
    await using servers = await this.#toolServers(id, privateValues, workspaceIn(summary.meta));
    const registries = this.#registries(privateValues, servers);
    const { configuration } = reported;
    const agent = configuration && this.#storedAgent(configuration, privateValues, registries, servers);
    const conversation = await Conversation.open({
      id,
      store,
      registries,
      missingTools: 'accept',
      secrets: () => privateValues.values,
      now,
      ...(agent && { agent }),
    });
    const confirmation = confirmationOf([reported.fields, summary.meta, specIn(summary.meta)]);
    return this.#live({ conversation, privateValues, registries, configuration, confirmation });
  }

  /**
   * Creates a conversation.
   *
   * @throws {RequestError} `invalid` for tools that this server does not have; {@link AgentError} `invalid`;
   * {@link StorageError} `exists`.
   */
  async create(id: string, plan: StartPlan, workspace: string): Promise<LiveConversation> {
    const { store, records, now } = this.#options;
    const privateValues = new PrivateValues(id, noPrivateValues, records);
    await privateValues.update(plan.privateRecord);
    try {
      await using servers = await this.#toolServers(id, privateValues, workspace);
      const registries = this.#registries(privateValues, servers);
      const agent = this.#requestedAgent(plan, privateValues, registries, servers);
      const { clientTools, configuration } = plan;
      const secrets = (): readonly string[] => privateValues.values;
      const conversation = await Conversation.create({ id, agent, store, workspace, clientTools, secrets, now });
      await conversation.record((stamp) => configurationFact.create(configuration, stamp));
      const confirmation = confirmationOf([plan.spec]);
      return this.#live({ conversation, privateValues, registries, configuration, confirmation });
    } catch (error) {
      if (!isTaken(error)) await records.remove(id);
      throw error;
    }
  }

  /**
   * Creates a copy of a conversation up to an event, with its own private values.
   *
   * @throws {AgentError} `invalid`; {@link StorageError} `exists`.
   */
  async fork(id: string, origin: LiveConversation, { at, title, tags = {} }: ForkOptions): Promise<LiveConversation> {
    const { records } = this.#options;
    const privateValues = new PrivateValues(id, noPrivateValues, records);
    await privateValues.update(origin.privateValues.record);
    try {
      await using servers = await this.#toolServers(id, privateValues, origin.conversation.workspace);
      const registries = this.#registries(privateValues, servers);
      const before = origin.configuration;
      const agent = before && this.#storedAgent(before, privateValues, registries, servers);
      const secrets = (): readonly string[] => privateValues.values;
      const forked = {
        id,
        secrets,
        missingTools: 'accept',
        ...(agent && { agent }),
        ...(at !== undefined && { at }),
      } as const;
      const conversation = await origin.conversation.fork(forked);
      const from = {
        forked_from_conversation_id: dashedId(origin.conversation.id),
        ...(at && { forked_from_event_id: at }),
      };
      const configuration = before && { ...before, ...from, tags: title === undefined ? tags : { ...tags, title } };
      const live = this.#live({
        conversation,
        privateValues,
        registries,
        configuration,
        confirmation: origin.confirmation,
      });
      if (configuration) await live.configure(configuration);
      if (title !== undefined) await conversation.rename(title);
      return live;
    } catch (error) {
      if (!isTaken(error)) await records.remove(id);
      throw error;
    }
  }

  /** A conversation of the reference has the encrypted keys of its agent in its files until it is used here. */
  async #privateValues(id: string, meta: Json): Promise<PrivateValues> {
    const { records, cipher } = this.#options;
    const text = await records.read(id);
    if (text !== undefined) return new PrivateValues(id, parsePrivateRecord(text), records);
    const privateValues = new PrivateValues(id, noPrivateValues, records);
    const keys = serverKeysIn(decrypted(specIn(meta), await cipher()));
    if (keys.length > 0) await privateValues.update({ keys: [...keys] });
    return privateValues;
  }

  #live(parts: {
    readonly conversation: Conversation;
    readonly privateValues: PrivateValues;
    readonly registries: AgentRegistries;
    readonly configuration: Configuration | undefined;
    readonly confirmation: Confirmation;
  }): LiveConversation {
    const { queue, feed, onFailure } = this.#options;
    const { id } = parts.conversation;
    return new LiveConversation({
      ...parts,
      queue,
      publish: (message) => feed.publish(id, message),
      onFailure: (error) => onFailure(error, id),
    });
  }

  #registries(privateValues: PrivateValues, servers: ToolServers): AgentRegistries {
    return servers.extended(withReferenceKinds(registriesFor(privateValues, this.#options.environment)));
  }

  /** Each conversation takes over the connections that its tools use; the others are closed. */
  #toolServers(id: string, privateValues: PrivateValues, workspace: string): Promise<ToolServers> {
    const { environment, onFailure } = this.#options;
    const onProblem = (problem: string): void => onFailure(new Error(problem), id);
    return startToolServers({ privateValues, workspace, env: environment.env, onProblem });
  }

  #requestedAgent(
    { agent: shown, spec }: StartPlan,
    privateValues: PrivateValues,
    registries: AgentRegistries,
    servers: ToolServers,
  ): Agent {
    const complete = { ...spec, agent: servers.added(supportedAgent(shown)) } as Json;
    const parts = this.#applicationParts(privateValues, shown);
    const { agent, missing } = asRequest(() => buildAgent(complete, registries, parts));
    const tool = missing.find(({ path }) => path.startsWith('tools.'));
    if (tool) throw new RequestError('invalid', `The tool ${JSON.stringify(tool.kind)} cannot be used: ${tool.reason}`);
    return agent;
  }

  /** Policies are left at their defaults, because those of the log apply. */
  #storedAgent(
    { agent }: Configuration,
    privateValues: PrivateValues,
    registries: AgentRegistries,
    servers: ToolServers,
  ): Agent {
    const complete = servers.added(supportedAgent(agent)) as Json;
    return buildAgent(complete, registries, this.#applicationParts(privateValues, agent)).agent;
  }

  #applicationParts(privateValues: PrivateValues, agent: unknown): Partial<AgentOptions> {
    const { home } = this.#options.environment;
    const { hooks } = privateValues.record;
    return { skills: skillsIn(agent), ...(hooks && { hooks }), ...(home !== undefined && { protectedPaths: [home] }) };
  }
}

/** Builds a part of a request. @throws {RequestError} `invalid` for what cannot be built. */
function asRequest<Result>(build: () => Result): Result {
  try {
    return build();
  } catch (cause) {
    if (!(cause instanceof AgentError)) throw cause;
    throw new RequestError('invalid', cause.message, { cause });
  }
}

/** The record belongs to the conversation that has the id. */
function isTaken(error: unknown): boolean {
  return error instanceof Error && 'code' in error && error.code === 'exists';
}

const policies = z.looseObject({ confirmation_policy: z.unknown(), security_analyzer: z.unknown() });

/** Returns the confirmation that the first source with each field contains. */
function confirmationOf(sources: readonly unknown[]): Confirmation {
  const fields = sources.map((source) => policies.partial().safeParse(source).data ?? {});
  const policy = fields.find((each) => Boolean(each.confirmation_policy))?.confirmation_policy;
  const analyzer = fields.find((each) => each.security_analyzer !== undefined)?.security_analyzer;
  return { policy: (policy ?? { kind: 'NeverConfirm' }) as Json, analyzer: (analyzer ?? null) as Json };
}

function specIn(meta: Json): unknown {
  return typeof meta === 'object' && meta !== null && 'agent' in meta ? meta['agent'] : undefined;
}

function workspaceIn(meta: Json): string {
  const found = typeof meta === 'object' && meta !== null && 'workspace' in meta ? meta['workspace'] : undefined;
  return typeof found === 'string' ? found : '.';
}
