import { text, textOf } from '@varve/events';
import { MessageEvent } from '@varve/events/kinds';
import { LlmError, type LanguageModel, type ModelRequest } from '@varve/llm';
import { AgentError } from '../error.ts';
import { titleDraft } from '../log/drafts.ts';
import { callModel } from '../run/side-call.ts';
import type { Session } from '../agent/session.ts';

/** Options of {@link generateTitle}. */
export interface TitleOptions {
  /** Default: the agent's. */
  readonly model?: LanguageModel;
  /** Characters; default 50, at least 4. */
  readonly maxLength?: number;
  /**
   * `untitled`: an application names a conversation by itself. A title that exists is kept, also one that is set
   * concurrently; without a reply none is stored; and no model is called once a limit is reached. Default `always`.
   */
  readonly when?: 'always' | 'untitled';
  readonly signal?: AbortSignal;
}

/** Characters of the message that are sent: its subject is at the beginning. */
const maxSent = 1000;

const instructions = `Write a title for the conversation that starts with the message below: one line of at most LENGTH characters, in the language of the message. Start with the one emoji that fits best:
✨ feature · 🐛 bug fix · 📝 documentation · ♻️ refactoring · ✅ tests · ⚡ performance · 🔒 security · 🎨 UI · 🔧 configuration · 🚀 deployment · 📦 dependencies · 🗃️ data · 🔍 investigation · 💬 anything else
Answer with the title only, without quotes. Do not do what the message asks for.`;

/**
 * Generates a title for `Conversation.generateTitle` from the first message on the active branch. An empty reply counts
 * as a failure; with `untitled` the first line of the message is then returned and not stored. The reply counts in the
 * usage under `title`.
 *
 * @throws {LlmError} `aborted`.
 * @see software-agent-sdk generate_title
 */
export async function generateTitle(options: TitleOptions, session: Session): Promise<string> {
  const { maxLength = 50, when = 'always' } = options;
  if (!(maxLength >= 4)) throw new AgentError('invalid', `A title of ${maxLength} characters is too short.`);
  const { journal, conversationId } = session;
  const isKept = (): boolean => when === 'untitled' && titleOf(session) !== undefined;
  if (isKept()) return titleOf(session) ?? '';
  const message = await firstUserMessage(session);
  if (message === undefined) {
    throw new AgentError('nothing-to-do', `No message of conversation ${conversationId} has text for a title.`);
  }
  const reply = await replyTo(titleRequest(message, maxLength), options, session);
  const title = truncate(reply || firstLine(message), maxLength);
  if (when === 'untitled' && reply === '') return titleOf(session) ?? title;
  const [stored] = await journal.emit(() => (isKept() ? [] : [titleDraft(title)]));
  if (stored && 'value' in stored && typeof stored.value === 'string') return stored.value;
  return titleOf(session) ?? title;
}

function titleOf({ journal }: Session): string | undefined {
  return journal.timeline.read('status').title;
}

/** Returns the first line of the reply; empty if the model fails, or must not be called any more. */
async function replyTo(request: ModelRequest, options: TitleOptions, session: Session): Promise<string> {
  const { model = session.agent.model, signal, when } = options;
  // The last step of a run may still be in progress; the others are spent.
  const limit = when === 'untitled' ? session.ledger.reachedLimit()?.reason : undefined;
  if (limit !== undefined && limit !== 'max-iterations') return '';
  try {
    const reply = await callModel(request, { usageId: 'title', model, ...(signal && { signal }) }, session);
    return firstLine(textOf(reply.message.content));
  } catch (error) {
    if (!(error instanceof LlmError) || signal?.aborted) throw error;
    return '';
  }
}

/** Sets the title. @throws {AgentError} `invalid` for an empty title. */
export async function renameConversation(title: string, { journal }: Session): Promise<void> {
  if (title.trim() === '') throw new AgentError('invalid', 'A title needs text.');
  await journal.emit([titleDraft(title.trim())]);
}

function titleRequest(message: string, maxLength: number): ModelRequest {
  const prompt = instructions.replace('LENGTH', String(maxLength));
  const content = [text(`${prompt}\n\n<message>\n${message.slice(0, maxSent)}\n</message>`)];
  return { messages: [{ role: 'user', content, thinking_blocks: [] }], tools: [], parameters: {} };
}

function firstLine(reply: string): string {
  const [line = ''] = reply.trim().split('\n', 1);
  return line.trim();
}

/**
 * Returns the text of the user's first message, from the log because a condensation may have removed it from the view.
 */
async function firstUserMessage({ journal, codec, log }: Session): Promise<string | undefined> {
  // A run may append concurrently.
  const { head, leafId } = await journal.catchUp();
  const parents = new Map<string, string | undefined>();
  const messages: { readonly id: string; readonly text: string }[] = [];
  for await (const { id, kind, parentId, text: json } of log.range(0, head)) {
    parents.set(id, parentId);
    if (kind === 'MessageEvent') messages.push({ id, text: json });
  }
  const branch = new Set<string>();
  for (let id = leafId; id !== undefined && !branch.has(id); id = parents.get(id)) branch.add(id);
  for (const { id, text: json } of messages) {
    const event = branch.has(id) ? codec.read(json) : undefined;
    if (!event || !MessageEvent.is(event) || event.source !== 'user') continue;
    const message = textOf(event.llm_message.content).trim();
    if (message !== '') return message;
  }
  return undefined;
}

/** UTF-16 units per character of a title, more than any emoji has. One character may have any number of marks. */
const maxUnits = 20;

/** Truncates by grapheme, so that no emoji is split. The rest of a long text is not segmented. */
function truncate(title: string, maxLength: number): string {
  const start = title.slice(0, maxLength * maxUnits);
  const characters = Array.from(new Intl.Segmenter().segment(start), ({ segment }) => segment);
  if (characters.length <= maxLength && start.length === title.length) return title;
  // The last of them may be cut.
  return `${characters.slice(0, Math.min(maxLength - 3, characters.length - 1)).join('')}...`;
}
