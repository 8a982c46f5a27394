import type { ConfirmationPolicy } from '../confirmation/confirmation-policy.ts';
import { confirmRisky } from '../confirmation/policies.ts';
import { ensembleRisk } from '../risk/ensemble-risk.ts';
import { modelRisk } from '../risk/model-risk.ts';
import { shellRisk } from '../risk/shell-risk.ts';
import { workspaceRisk } from '../risk/workspace-risk.ts';
import {
  functionCalling,
  LlmError,
  modelFrom,
  providers,
  retry,
  type LanguageModel,
  type ModelFromOptions,
} from '@varve/llm';
import { memoryStore, type EventStore } from '@varve/storage';
import { defaultTools, finish, type StandardSchema, type Tool } from '@varve/tools';
import { withoutUndefined } from '@varve/text';
import { defineAgent, type Agent, type AgentOptions } from '../agent/agent.ts';
import { toolsetOf, type ToolsContext } from '../agent/toolset.ts';
import type { UserInput } from '../run/send-message.ts';
import { Conversation } from './conversation.ts';
import { AgentError } from '../error.ts';
import type { RunOptions } from '../run/run-options.ts';
import type { ConversationOptions } from './conversation-options.ts';
import type { RunResult } from '../run/run-result.ts';
import type { RunStream, StreamOptions } from '../stream/run-stream.ts';

/** Options of {@link createAgent}. */
export interface CreateAgentOptions<Output = Readonly<Record<string, unknown>>> extends Partial<
  Omit<AgentOptions, 'model'>
> {
  /**
   * Reference to a model, such as `openai/gpt-5` (see `modelFrom`), which is called with `retry` and `functionCalling`;
   * or a model, which is used as it is.
   */
  readonly model: string | LanguageModel;
  /** API key for a model reference. Keys are masked in the log. */
  readonly apiKey?: string | undefined;
  /** API keys by the names of their environment variables, such as `process.env`; used without `apiKey`. */
  readonly keys?: ModelFromOptions['keys'];
  /** Address of the server for a model reference. */
  readonly baseUrl?: string | undefined;
  /** Default: a store in memory. A given store is not owned: the caller closes it after the agent. */
  readonly store?: EventStore;
  /** Working directory; default the current one of the process. */
  readonly workspace?: string;
  /**
   * Schema of the answer without transforms, of zod or another library, or JSON Schema: the agent then finishes with an
   * answer in this form, which is `output` of the result. `finish` is added to the tools, or replaced.
   */
  readonly output?: OutputSchema<Output>;
  /** Further values that must never reach the log. */
  readonly secrets?: readonly string[];
  readonly spans?: ConversationOptions['spans'];
}

/** Schema of an answer; JSON Schema leaves the type of the answer open. */
type OutputSchema<Output> = StandardSchema<Output> | Readonly<Record<string, unknown>>;

/** An agent with a store and one conversation, ready to run. */
export interface RunnableAgent<Output = Readonly<Record<string, unknown>>> extends AsyncDisposable {
  /** Stateless specification, for example to open the stored conversation later with `Conversation.open`. */
  readonly definition: Agent;
  /**
   * Sends a message and runs until there is a reason to end. Further calls continue the same conversation.
   *
   * @throws what `Conversation.create`, `send` and `run` throw.
   */
  run(input: UserInput, options?: RunOptions): Promise<RunResult<Output>>;
  /** Sends a message and runs, as a stream of what is stored and what is provisional. @throws as `run`. */
  stream(input: UserInput, options?: StreamOptions): Promise<RunStream<Output>>;
  /** Returns the conversation: created with the first call, closed with the agent. */
  conversation(): Promise<Conversation>;
}

/**
 * Creates an agent from a model and defaults: the built-in coding tools, a store in memory, the current directory, and
 * `autoConfirm`. A run that asks ends as `waiting`; `approve` or `reject` of the conversation answers.
 * Applications that manage several conversations use `defineAgent` and `Conversation`.
 *
 * @throws {AgentError} `invalid` when a model reference needs an API key and none is given, and as `defineAgent` does;
 * {@link LlmError} `bad-request` for an unknown model reference.
 */
export function createAgent<Output = Readonly<Record<string, unknown>>>(
  options: CreateAgentOptions<Output>,
): RunnableAgent<Output> {
  const { model, apiKey, keys, baseUrl, store: given, workspace, secrets, spans, output, ...agentOptions } = options;
  const { tools = ({ redactor }: ToolsContext) => defaultTools({ redactor }), ...others } =
    withoutUndefined(agentOptions);
  const definition = defineAgent({
    confirmation: autoConfirm(),
    ...others,
    tools: output ? (context) => withFinish(toolsetOf(tools)(context), output) : tools,
    model: typeof model === 'string' ? namedModel(model, { apiKey, keys, baseUrl }) : model,
  });
  const store = given ?? memoryStore();
  let created: Promise<Conversation> | undefined;
  const parts = { agent: definition, store, secrets: [...apiKeys(options), ...(secrets ?? [])], spans };
  const conversation = (): Promise<Conversation> =>
    (created ??= Conversation.create({ ...parts, workspace: workspace ?? process.cwd() }));
  return {
    definition,
    conversation,
    async run(input, runOptions) {
      const current = await conversation();
      await current.send(input);
      // The tool `finish` checked the answer against the schema before it was stored.
      return (await current.run(runOptions)) as RunResult<Output>;
    },
    async stream(input, streamOptions) {
      return (await conversation()).stream(input, streamOptions) as RunStream<Output>;
    },
    async [Symbol.asyncDispose]() {
      await (await created?.catch(() => undefined))?.[Symbol.asyncDispose]();
      if (!given) await store[Symbol.asyncDispose]();
    },
  };
}

function withFinish(tools: readonly Tool[], output: OutputSchema<unknown>): readonly Tool[] {
  return [...tools.filter(({ name }) => name !== 'finish'), finish({ responseSchema: output })];
}

/** Returns the keys of all providers, because a program that the agent starts may print any of them. */
function apiKeys({ apiKey, keys = {} }: Pick<CreateAgentOptions, 'apiKey' | 'keys'>): readonly string[] {
  const known = Object.values(providers).flatMap(({ keyName }) => (keyName === undefined ? [] : keys[keyName]));
  return [apiKey, ...known].flatMap((key) => key?.trim() || []);
}

/** Blank keys and addresses count as absent: that is how environments contain them. */
function namedModel(
  reference: string,
  { apiKey, keys, baseUrl }: Pick<CreateAgentOptions, 'apiKey' | 'keys' | 'baseUrl'>,
): LanguageModel {
  try {
    const options = { apiKey: apiKey?.trim() || undefined, keys, baseUrl: baseUrl?.trim() || undefined };
    return functionCalling()(retry()(modelFrom(reference, withoutUndefined(options))));
  } catch (error) {
    if (!(error instanceof LlmError && error.code === 'unauthenticated')) throw error;
    throw new AgentError('invalid', `The model ${reference} needs an API key: pass apiKey or keys.`, { cause: error });
  }
}

/**
 * Asks about calls that reach beyond the machine or cannot be undone, and about calls of unknown risk: without a
 * sandbox, each command that is not known to be harmless. The policy `auto` of the settings.
 */
export function autoConfirm(): ConfirmationPolicy {
  return confirmRisky({ analyzer: ensembleRisk([modelRisk(), shellRisk(), workspaceRisk()]) });
}
