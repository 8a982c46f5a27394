import { randomUUID } from 'node:crypto';
import { Conversation } from '@varve/agent';
import { canonicalId, type EventStore } from '@varve/storage';
import { HostError } from '../error.ts';
import { HostedConversation } from '../live/hosted-conversation.ts';
import { repeatedly, type OwnerQueue } from '../queues.ts';
import { ConversationHost, type HostingOptions } from './conversation-host.ts';
import { agentNamed, hostedAgentFact, hostedAgentName, type AgentsByName } from './hosted-agent.ts';
import type { OpenConversation } from './open-conversations.ts';
import type { Wake } from './wake-facts.ts';
import { Wakes } from './wakes.ts';

/** Options of {@link createHost}. */
export interface HostOptions extends HostingOptions {
  /** Store of the conversations; the caller closes it after the host. */
  readonly store: EventStore;
  /** Agents in code by the names under which conversations are stored; a function makes one for each conversation. */
  readonly agents: AgentsByName;
  /** Returns more options of a conversation, by its id, when it is created and whenever it is opened. Default: none. */
  readonly optionsOf?: ((id: string) => OpeningOptions | Promise<OpeningOptions>) | undefined;
  /** False: a model is asked to stream only for those that follow when a run begins. Default true: for others, too. */
  readonly streams?: boolean | undefined;
}

/** Options of opening a hosted conversation, which are also those of `Conversation.create`. */
type OpeningOptions = Pick<Parameters<typeof Conversation.create>[0], 'secrets' | 'kinds' | 'clientTools'>;

/** New conversation of a host. */
export interface NewConversation {
  /** Name of its agent. */
  readonly agent: string;
  /** Directory of the agent. Default: that of this process. */
  readonly workspace?: string;
  /** Default: a random one. An id that exists changes nothing. */
  readonly id?: string;
}

/**
 * Conversations of a store that agents in code work on. Each method opens the conversation if need be, and rejects with
 * a `StorageError` `missing` for an unknown id, or `held` if another process has it.
 */
export interface Host extends AsyncDisposable {
  /** Creates a conversation, and returns its id. @throws {HostError} `unknown-agent`. */
  create(conversation: NewConversation): Promise<string>;
  /** Lets `work` use a conversation, which stays open until it ends. */
  use<Result>(id: string, work: (hosted: HostedConversation) => Promise<Result>): Promise<Result>;
  /** Stores a message, which the agent answers in the background, and returns the id of its event. */
  send(
    id: string,
    input: Parameters<HostedConversation['send']>[0],
    options?: { readonly id?: string },
  ): Promise<string>;
  /** Stores the result of a call that completes later, which the agent answers as a message; false if it has one. */
  complete(id: string, ...result: Parameters<HostedConversation['complete']>): Promise<boolean>;
  /**
   * Sends a message to a conversation at a time, from this process or another one with its store, within some seconds
   * if a host that has called `recover` runs then; otherwise after the next `recover`. A run answers it, unless a
   * person paused the conversation or is asked about calls. Returns the id of the wake.
   *
   * @throws {AgentError} `invalid` for a time that is no number of milliseconds, or a blank message.
   */
  wakeAt(id: string, wake: Omit<Wake, 'id'> & Partial<Wake>): Promise<string>;
  /** Returns the wakes of a conversation that are to come, the first one first. */
  wakes(id: string): Promise<readonly Wake[]>;
  /** Cancels a wake; returns false for one that is not to come. */
  cancelWake(id: string, wakeId: string): Promise<boolean>;
  /** Continues the runs that a crash ended, and sends what is due. Resolves when the runs are requested. */
  recover(): Promise<void>;
  /** Stops a run, closes the conversation and removes it with all its data. */
  remove(id: string): Promise<void>;
  /** Number of runs that are active, and that wait. */
  readonly load: { readonly running: number; readonly waiting: number };
  /** Closes all conversations; the signal ends the wait for their current steps. Then nothing can be opened. */
  close(signal: AbortSignal): Promise<void>;
}

/**
 * Hosts the conversations of a store with agents in code: creates them, opens them by the name of their agent, queues
 * their runs, closes those that are not used, and continues after a crash. Disposing ends their
 * runs immediately; the next `recover` continues them.
 */
export function createHost(options: HostOptions): Host {
  const { store, agents, spans, optionsOf, streams = true } = options;
  const deltas = () => (streams ? streamed : undefined);
  const open = (conversation: Conversation, queue: OwnerQueue): OpenConversation => {
    const onFailure = (error: unknown): void => options.onFailure?.(error, conversation.id);
    const hosted = new HostedConversation(conversation, { queue, onFailure, deltas });
    return { hosted, isResumable: true, [Symbol.asyncDispose]: () => hosted[Symbol.asyncDispose]() };
  };
  const host = new ConversationHost<OpenConversation>({
    ...options,
    isHosted: async ({ id }) => (await hostedAgentName(store, id)) !== undefined,
    async load(id, queue) {
      const name = await hostedAgentName(store, id);
      if (name === undefined) throw new HostError('unknown-agent', `Conversation ${id} names no agent of a host.`);
      const agent = await agentNamed(name, agents);
      return open(await Conversation.open({ ...(await optionsOf?.(id)), id, agent, store, spans }), queue);
    },
  });
  const { every = repeatedly, now = Date.now, onFailure = () => undefined } = options;
  const use: Host['use'] = (id, work) => host.use(canonicalId(id), ({ hosted }) => work(hosted));
  const change: typeof use = (id, work) => host.change(id, ({ hosted }) => work(hosted));
  const wakes = new Wakes({ store, change, every, now, onFailure });
  const close: Host['close'] = (signal) => {
    wakes[Symbol.dispose]();
    return host.close(signal);
  };
  return {
    async create({ agent: name, workspace = process.cwd(), id: typed = randomUUID() }) {
      const id = canonicalId(typed);
      await host.creating(id, async () => {
        if (await host.exists(id)) return;
        const agent = await agentNamed(name, agents);
        await host.add(id, async (queue) => {
          const more = await optionsOf?.(id);
          const conversation = await Conversation.create({ ...more, id, agent, store, workspace, spans });
          try {
            await conversation.record((stamp) => hostedAgentFact.create({ name }, stamp));
          } catch (error) {
            await conversation[Symbol.asyncDispose]();
            throw error;
          }
          return open(conversation, queue);
        });
      });
      return id;
    },
    use,
    send: (id, input, sent) => host.use(canonicalId(id), ({ hosted }) => hosted.send(input, { ...sent, run: true })),
    complete: (id, ...result) => host.use(canonicalId(id), ({ hosted }) => hosted.complete(...result)),
    wakeAt: (id, wake) => wakes.add(canonicalId(id), wake),
    wakes: (id) => wakes.list(canonicalId(id)),
    cancelWake: (id, wakeId) => wakes.cancel(canonicalId(id), wakeId),
    async recover() {
      await host.recover();
      await wakes.start();
    },
    remove: (id) => host.remove(canonicalId(id)),
    get load() {
      return host.load;
    },
    close,
    [Symbol.asyncDispose]: () => close(AbortSignal.abort()),
  };
}

/** Lets replies be streamed, for those that begin to follow in the middle of one. */
function streamed(): void {}
