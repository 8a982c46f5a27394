import { text, textOf, type Content } from '@varve/events';
import type { ExecutionStatus } from '@varve/events/projections';
import type { UserInput } from './conversation-options.ts';
import { rejectionDraft, statusDraft, userMessageDraft, type Draft } from '../log/drafts.ts';
import { AgentError } from '../error.ts';
import { promptDraft } from '../request/prompt-draft.ts';
import type { Session } from '../session.ts';

/** A message brings a conversation back from these; paused and failed ones stay so until they run. */
const wakeableStatuses = new Set<ExecutionStatus>(['finished', 'stuck', 'waiting_for_confirmation']);

/** What a user says as blocks. @throws {AgentError} `invalid` when there is neither text nor an image. */
export function contentOf(saying: UserInput): readonly Content[] {
  const content: readonly Content[] = typeof saying === 'string' ? [text(saying)] : saying;
  if (content.some(hasContent)) return content;
  throw new AgentError('invalid', 'A message needs text or an image.');
}

/** The user says something: to a new branch the prompt comes first, and calls that it refuses are answered before it. */
export function userMessageDrafts(
  content: readonly Content[],
  session: Session,
  refuses: 'always' | 'when-waiting',
): readonly Draft[] {
  const { agent, workspace, now, tools, journal } = session;
  const { execution } = journal.timeline.read('status');
  return [
    ...promptDraft(journal.timeline.read('view'), agent, { workspace, now, tools: [...tools.values()] }),
    ...(refuses === 'always' || execution === 'waiting_for_confirmation'
      ? rejectionDrafts(session, textOf(content) || 'The user sent an image.')
      : []),
    userMessageDraft(content),
    ...(wakeableStatuses.has(execution) ? [statusDraft('idle')] : []),
  ];
}

/** Refuses what has not begun: of a call that has, nobody can say any more that it did not run. */
export function rejectionDrafts({ journal }: Session, reason: string): readonly Draft[] {
  const notBegun = journal.timeline.read('pending').filter(({ hasEffect }) => !hasEffect);
  return notBegun.map(({ event }) => rejectionDraft(event, reason));
}

function hasContent(block: Content): boolean {
  return block.type === 'text' ? block.text.trim() !== '' : block.image_urls.length > 0;
}
