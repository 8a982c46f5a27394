import { text, textOf, type Content, type TextContent } from '@varve/events';
import { MessageEvent } from '@varve/events/kinds';
import type { ExecutionStatus } from '@varve/events/projections';
import { AgentError } from '../error.ts';
import { statusDraft, userMessageDraft, type Draft } from '../log/drafts.ts';
import { promptDraft } from '../prompt/prompt-draft.ts';
import type { Session } from '../agent/session.ts';
import { rejectionDrafts } from './calls/approvals.ts';
import { ToolError } from '@varve/tools';
import { goalDraft, type GoalState } from '../log/projections/goal-projection.ts';
import type { HookVerdict } from '../confirmation/hooks/session-hooks.ts';
import { activateSkills, skillsIn, type ActivatedSkill, triggeredSkills } from '@varve/skills';

/** Circumstances of a message. */
export interface SendContext {
  /** Returns the calls that the message rejects. Called when the message is stored. */
  readonly rejects: () => 'always' | 'when-waiting' | 'never';
  readonly signal: AbortSignal;
  /** Id of the event; a message that is in the log already is not stored again. */
  readonly id?: string | undefined;
  /** Goal whose loop sends the message: stored with it, unless it was interrupted. Other messages interrupt it. */
  readonly goal?: GoalState;
}

/**
 * Stores a message of the user and returns the id of its event. Hooks decide about it first; their records and the
 * message are one append. A blocked message is stored only within the record of the hook, changes nothing else, and
 * never reaches the model.
 *
 * @throws {AgentError} `blocked` with the reason of the hook, `closed` when the signal aborts.
 */
export async function sendMessage(
  content: readonly Content[],
  session: Session,
  { rejects, signal, goal, id }: SendContext,
): Promise<string> {
  const { hooks, journal, goals } = session;
  if (id !== undefined && (await isStored(id, session))) return id;
  const isStarting = goal !== undefined && !goals.isRunning;
  const needsHooks = hooks.isNew || hooks.has('UserPromptSubmit');
  const additions = needsHooks ? await runMessageHooks(content, session, { signal, id: id ?? journal.newId() }) : {};
  const message = textOf(content);
  // A message without triggers is stored without a delay.
  const isTriggering = triggeredSkills(message, session.agent.skills).length > 0;
  const activated = isTriggering ? await activatedSkills(message, session, signal) : [];
  session.settings.suggestTitle(message);
  const events = await journal.emit(() => {
    if (goal && !isStarting && !goals.isRunning) return [];
    const drafts = userMessageDrafts(
      content,
      session,
      rejects(),
      withSkills({ ...(id !== undefined && { id }), ...additions }, activated, session),
    );
    return [...drafts, ...(goal ? [goalDraft(goal)] : goals.interruptDrafts())];
  });
  goals.cancelIfEnded();
  return events.findLast((event) => event.source === 'user')?.id ?? '';
}

async function activatedSkills(
  message: string,
  { agent, journal, workspace, mask, conversationId }: Session,
  signal: AbortSignal,
): Promise<readonly ActivatedSkill[]> {
  const { events } = journal.timeline.read('view');
  try {
    const context = { events, workspace, mask, signal, sandbox: agent.sandbox };
    return await activateSkills(message, agent.skills, context);
  } catch (cause) {
    if (!(cause instanceof ToolError)) throw cause;
    throw new AgentError('closed', `Conversation ${conversationId} was closed.`, { cause });
  }
}

/** Adds the texts of skills, except those that another message added in the meantime. */
function withSkills(
  additions: MessageAdditions,
  activated: readonly ActivatedSkill[],
  { journal }: Session,
): MessageAdditions {
  if (activated.length === 0) return additions;
  const present = skillsIn(journal.timeline.read('view').events);
  const added = activated.filter(({ name }) => !present.has(name));
  const extended = [...added.map((skill) => text(skill.text)), ...(additions.extended ?? [])];
  return { ...additions, extended, skills: added.map(({ name }) => name) };
}

async function runMessageHooks(
  content: readonly Content[],
  session: Session,
  { signal, id }: { readonly signal: AbortSignal; readonly id: string },
): Promise<MessageAdditions> {
  const { hooks, journal, conversationId } = session;
  const start = await hooks.start(signal);
  const verdict = start.isAborted ? start : await hooks.beforeMessage(textOf(content), id, signal);
  const drafts = verdict === start ? start.drafts : [...start.drafts, ...verdict.drafts];
  if (verdict.isAborted) throw new AgentError('closed', `Conversation ${conversationId} was closed.`);
  if (verdict.blocked !== undefined) {
    await journal.emit(() => [...systemPromptDrafts(session), ...drafts]);
    throw new AgentError('blocked', `A hook blocked the message: ${session.mask(verdict.blocked)}`);
  }
  return { id, before: drafts, extended: contextsOf([start, verdict]) };
}

function contextsOf(verdicts: readonly HookVerdict[]): readonly TextContent[] {
  return verdicts
    .flatMap(({ contexts }) => contexts)
    .map((context) => text(`A hook of this workspace adds: ${context}`));
}

/** Returns true for a message that was sent before. @throws {AgentError} `invalid` for the id of another event. */
async function isStored(id: string, { log }: Session): Promise<boolean> {
  const seq = await log.seqOf(id);
  if (seq === undefined) return false;
  if ((await log.at(seq))?.kind === MessageEvent.kind) return true;
  throw new AgentError('invalid', `The id ${id} of the message is that of another event.`);
}

/** Input of a user: text, or blocks with images. */
export type UserInput = string | readonly Content[];

/** Statuses that a message resets to `idle`; paused and failed conversations keep theirs until they run. */
const wakeableStatuses = new Set<ExecutionStatus>(['finished', 'stuck', 'waiting_for_confirmation']);

/** Returns a user's input as blocks. @throws {AgentError} `invalid` when there is neither text nor an image. */
export function contentOf(input: UserInput): readonly Content[] {
  const content: readonly Content[] = typeof input === 'string' ? [text(input)] : input;
  if (content.some(hasContent)) return content;
  throw new AgentError('invalid', 'A message needs text or an image.');
}

/** Events that precede a message in its append, and text that follows it. */
export interface MessageAdditions {
  /** Id of the event; default a new one. */
  readonly id?: string;
  /** Records of what was decided about the message. */
  readonly before?: readonly Draft[];
  /** Text for the model, after the message. */
  readonly extended?: readonly TextContent[];
  /** Names of the skills whose texts are part of it. */
  readonly skills?: readonly string[];
  /** Tool whose result it is. */
  readonly sender?: string;
}

/** Returns the system prompt if the branch has none yet. */
export function systemPromptDrafts({ agent, workspace, now, tools, journal }: Session): readonly Draft[] {
  const options = { workspace, now, tools: [...tools.values()], skills: agent.skills };
  return promptDraft(journal.timeline.read('view'), agent.prompt, options);
}

/**
 * Returns the events of a user's message: the system prompt if the branch has none yet, rejections of open calls, the
 * message, and the new status. Calls that wait for approval are rejected, unless `never`; with `always`, so are all
 * calls that have not started. Approved calls are not.
 */
export function userMessageDrafts(
  content: readonly Content[],
  session: Session,
  rejects: 'always' | 'when-waiting' | 'never',
  { before = [], ...additions }: MessageAdditions = {},
): readonly Draft[] {
  const { journal } = session;
  const { execution } = journal.timeline.read('status');
  const isWaiting = execution === 'waiting_for_confirmation';
  const rejected =
    rejects === 'always' || (rejects === 'when-waiting' && isWaiting)
      ? rejectionDrafts(session, textOf(content) || 'The user sent an image.')
      : [];
  const status = wakeableStatuses.has(execution) && !(isWaiting && rejects === 'never') ? [statusDraft('idle')] : [];
  const message = userMessageDraft(content, additions);
  return [...systemPromptDrafts(session), ...before, ...rejected, message, ...status];
}

function hasContent(block: Content): boolean {
  return block.type === 'text' ? block.text.trim() !== '' : block.image_urls.length > 0;
}
