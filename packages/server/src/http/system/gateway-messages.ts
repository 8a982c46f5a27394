import { randomUUID } from 'node:crypto';
import type { Content } from '@varve/events';
import { SettingsError } from '@varve/settings';
import { HTTPException } from 'hono/http-exception';
import { canonicalId } from '@varve/storage';
import { finalResponse } from '../conversations/final-response.ts';
import { readInfo } from '../../reference/info/info-of.ts';
import { startRequest, type StartRequest } from '../../reference/request/start-request.ts';
import { unlessMissing } from '@varve/storage/kit';
import { type Access, allows, visibleSummary } from '../../access.ts';
import { RequestError } from '../../error.ts';
import type { Services } from '../services.ts';
import type { ServerSettings } from '../../settings/server-settings.ts';
import { currentLlm, settingsDocument } from '../../settings/settings-document.ts';

/** Header with the id of a conversation. @see agent-server 1.43.1, /v1/chat/completions */
export const conversationHeader = 'X-OpenHands-ServerConversation-ID';

/** Beginning of the names of models: the rest is the name of a profile. @see agent-server 1.43.1, /v1/models */
const prefix = 'openhands_';

/** Longest wait for an answer that is not streamed. @see agent-server 1.43.1, /v1/chat/completions */
export const answerMs = 120_000;

/** A request for one answer of an agent. */
export interface Completion {
  readonly model: string;
  /** Message of the user. */
  readonly content: readonly Content[];
  /** Instructions of the client, added to those of the agent. */
  readonly instructions: readonly string[];
  readonly access: Access;
  /** Conversation to continue, or to create with this id; absent for a new one. */
  readonly conversationId?: string | undefined;
  readonly observability?: Partial<
    Pick<StartRequest, 'observability_tags' | 'observability_metadata' | 'observability_span_name'>
  >;
}

/** A run that was requested. */
export interface BegunRun {
  /** 32 hex digits. */
  readonly conversationId: string;
  /** What the conversation has used before. */
  readonly before: Tokens;
}

/** Answer of an agent. */
export interface CompletionResult {
  /** 32 hex digits. */
  readonly conversationId: string;
  readonly text: string;
  readonly usage: { readonly prompt_tokens: number; readonly completion_tokens: number; readonly total_tokens: number };
}

/** Returns the names of the models: one for each profile, and that of the settings, sorted. */
export async function gatewayModels({ settings }: Services): Promise<readonly string[]> {
  if (!settings) return [];
  const names = new Set((await settings.models.readable()).map(({ name }) => name));
  if (await hasDefault(settings)) names.add(defaultName);
  return [...names].map((name) => `${prefix}${name}`).toSorted();
}

/** Name of the model of the settings, unless a profile has it. */
const defaultName = 'default';

/** Returns true if a setting, such as LLM_MODEL, names a model. */
async function hasDefault(settings: ServerSettings): Promise<boolean> {
  return (await settings.current()).get('llm.model') !== undefined;
}

/** Lets an agent answer a message in a conversation. @throws {RequestError} `unknown` model. */
export async function beginRun(completion: Completion, services: Services): Promise<BegunRun> {
  const { store, conversations } = services;
  const id = canonicalId(completion.conversationId ?? randomUUID());
  // One of another owner cannot be created.
  const isKnown = (await unlessMissing(visibleSummary(store, id, completion.access))) !== undefined;
  if (!isKnown) await conversations.create(await requestFor(id, completion, services), completion.access);
  else await profileOf(completion.model, services.settings);
  const before = await usageOf(id, services);
  await conversations.send(id, completion.content, { run: true });
  return { conversationId: id, before };
}

/**
 * Waits for the end of a run, and returns its answer.
 *
 * @throws {RequestError} `conflict` for a run that waits for a person.
 * @throws {HTTPException} 504 for one that has not ended when the signal aborts, and continues; 500 for one that fails.
 */
export async function answerOf(
  { conversationId: id, before }: BegunRun,
  services: Services,
  limit: AbortSignal,
): Promise<CompletionResult> {
  const { status, leafId } = await endOf(id, services, limit);
  if (status === 'paused' || status === 'waiting_for_confirmation')
    throw new RequestError('conflict', `The conversation is ${status}.`);
  if (status === 'error' || status === 'stuck')
    throw new HTTPException(500, { message: `The run ended with the status ${status}.` });
  const after = await usageOf(id, services);
  const [prompt_tokens, completion_tokens] = [after.prompt - before.prompt, after.completion - before.completion];
  return {
    conversationId: id,
    text: await finalResponse(await services.store.read(id), leafId),
    usage: { prompt_tokens, completion_tokens, total_tokens: prompt_tokens + completion_tokens },
  };
}

async function endOf(id: string, { conversations }: Services, limit: AbortSignal) {
  return conversations.use(id, async (live) => {
    await live.hosted.runs.idle(limit);
    if (live.hosted.runs.isActive) {
      throw new HTTPException(504, { message: `The agent did not answer within ${answerMs / 1000} seconds.` });
    }
    const { status, leafId } = live.conversation.state;
    return { status, leafId };
  });
}

async function profileOf(model: string, settings: ServerSettings | undefined) {
  const name = model.startsWith(prefix) ? model.slice(prefix.length) : undefined;
  const missing = (cause?: unknown) => new RequestError('unknown', `The model '${model}' does not exist.`, { cause });
  if (name === undefined || !settings) throw missing();
  try {
    return { ...(await settings.profile(name)), settings };
  } catch (error) {
    if (name === defaultName && (await hasDefault(settings)))
      return { ...(await currentLlm(settings, await settings.current())), settings };
    // A name that no profile can have is unknown, too.
    if (error instanceof SettingsError && (error.code === 'missing' || error.code === 'invalid')) throw missing(error);
    throw error;
  }
}

/** Returns the request for a conversation with the agent of the settings and the model of a profile. */
async function requestFor(id: string, completion: Completion, services: Services): Promise<StartRequest> {
  const { record, key, settings } = await profileOf(completion.model, services.settings);
  const { agent_settings: agent } = await settingsDocument(settings, 'plaintext');
  const context = (agent['agent_context'] ?? {}) as { readonly system_message_suffix?: string | null };
  const suffix = [context.system_message_suffix, ...completion.instructions].filter(Boolean).join('\n\n');
  return startRequest().parse({
    conversation_id: id,
    workspace: {
      working_dir: allows(completion.access, 'admin') ? services.workspaceRoot : '.',
      kind: 'LocalWorkspace',
    },
    agent_settings: {
      ...agent,
      agent_kind: 'openhands',
      llm: { ...record, api_key: key ?? null },
      agent_context: { ...context, ...(suffix !== '' && { system_message_suffix: suffix }) },
    },
    autotitle: false,
    ...completion.observability,
  });
}

/** Tokens of all models of a conversation. */
export interface Tokens {
  readonly prompt: number;
  readonly completion: number;
}

/** Returns the tokens that all models of a conversation have used. */
async function usageOf(id: string, { store, folds }: Services): Promise<Tokens> {
  const summary = await store.summary(id);
  const { stats } = await readInfo(summary, { store, folds }, { includeSkills: false });
  const used = Object.values(stats.usage_to_metrics).map(({ accumulated_token_usage: usage }) => usage);
  return {
    prompt: used.reduce((sum, { prompt_tokens: tokens }) => sum + tokens, 0),
    completion: used.reduce((sum, { completion_tokens: tokens }) => sum + tokens, 0),
  };
}
