import { text, textOf, type Content, type TextContent } from '@varve/events';
import type { ExecutionStatus } from '@varve/events/projections';
import { AgentError } from '../error.ts';
import { statusDraft, userMessageDraft, type Draft } from '../log/drafts.ts';
import { promptDraft } from '../prompt/prompt-draft.ts';
import type { Session } from '../agent/session.ts';
import { rejectionDrafts } from './calls/approvals.ts';

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
}

/** Returns the system prompt if the branch has none yet. */
export function systemPromptDrafts({ agent, workspace, now, tools, journal }: Session): readonly Draft[] {
  const options = { workspace, now, tools: [...tools.values()], skills: agent.skills };
  return promptDraft(journal.timeline.read('view'), agent.prompt, options);
}

/**
 * Returns the events of a user's message: the system prompt if the branch has none yet, rejections of open calls, the
 * message, and the new status. Calls that wait for approval are rejected; with `always`, so are all calls that have not
 * started.
 */
export function userMessageDrafts(
  content: readonly Content[],
  session: Session,
  rejects: 'always' | 'when-waiting',
  { before = [], ...additions }: MessageAdditions = {},
): readonly Draft[] {
  const { journal } = session;
  const { execution } = journal.timeline.read('status');
  const rejected =
    rejects === 'always' || execution === 'waiting_for_confirmation'
      ? rejectionDrafts(session, textOf(content) || 'The user sent an image.')
      : [];
  const status = wakeableStatuses.has(execution) ? [statusDraft('idle')] : [];
  const message = userMessageDraft(content, additions);
  return [...systemPromptDrafts(session), ...before, ...rejected, message, ...status];
}

function hasContent(block: Content): boolean {
  return block.type === 'text' ? block.text.trim() !== '' : block.image_urls.length > 0;
}
