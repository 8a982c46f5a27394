import { text, textOf, type Content, type TextContent } from '@varve/events';
import { ToolError } from '@varve/tools';
import { AgentError } from '../error.ts';
import { goalDraft, type GoalState } from '../log/projections/goal-projection.ts';
import type { HookVerdict } from '../confirmation/hooks/session-hooks.ts';
import type { Session } from '../agent/session.ts';
import { activateSkills, skillsIn, type ActivatedSkill, triggeredSkills } from '@varve/skills';
import { systemPromptDrafts, userMessageDrafts, type MessageAdditions } from './user-message.ts';

/** Circumstances of a message. */
export interface SendContext {
  /** Returns the calls that the message rejects. Called when the message is stored. */
  readonly rejects: () => 'always' | 'when-waiting';
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

async function isStored(id: string, { log }: Session): Promise<boolean> {
  return (await log.seqOf(id)) !== undefined;
}
