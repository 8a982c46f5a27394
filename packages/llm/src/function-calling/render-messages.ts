import { text, textOf, type Content, type Message } from '@varve/events';
import { toolText } from '../tool-text.ts';
import { tags } from '../text-calls/function-tags/tags.ts';
import { writeCall } from '../text-calls/function-tags/write-call.ts';

/**
 * Rendered groups of messages by their first message, so that adapters receive the same objects; messages never change.
 */
export type RenderCache = WeakMap<Message, RenderedGroup>;

interface RenderedGroup {
  /** The messages of the group. */
  readonly members: readonly Message[];
  /** Instructions in the message. */
  readonly instructions?: string;
  readonly rendered: Message;
}

/**
 * Renders a history without native calls and results. Calls become text of the assistant. Results become text of the
 * user, merged with the user message after them, because many chat templates require the two roles to alternate. The
 * history itself is neither changed nor parsed from text.
 */
export function renderMessages(
  messages: readonly Message[],
  { instructions, cache }: { readonly instructions: string | undefined; readonly cache: RenderCache },
): readonly Message[] {
  const groups = groupsOf(messages);
  if (instructions === undefined) return groups.map((group) => renderCached(group, { cache }));
  // The first system prompt contains the instructions: it changes least, and prompt caches contain it.
  const at = groups.findIndex(([{ role }]) => role === 'system');
  const rendered = groups.map((group, index) => renderCached(group, { cache, ...(index === at && { instructions }) }));
  return at === -1 ? [withInstructions(noPrompt, instructions), ...rendered] : rendered;
}

const noPrompt: Message = { role: 'system', content: [], thinking_blocks: [] };

/** Groups tool results with the user message after them; every other message is its own group. */
function groupsOf(messages: readonly Message[]): readonly (readonly [Message, ...Message[]])[] {
  const groups: [Message, ...Message[]][] = [];
  for (const message of messages) {
    const group = groups.at(-1);
    const last = group?.at(-1);
    const isJoined = last?.role === 'tool' && (message.role === 'tool' || message.role === 'user');
    if (group && isJoined) group.push(message);
    else groups.push([message]);
  }
  return groups;
}

function renderCached(
  members: readonly [Message, ...Message[]],
  { cache, instructions }: { readonly cache: RenderCache; readonly instructions?: string },
): Message {
  const known = cache.get(members[0]);
  const hasSameMembers =
    known?.members.length === members.length && known.members.every((each, index) => each === members[index]);
  if (hasSameMembers && known.instructions === instructions) return known.rendered;
  const group = renderGroup(members);
  const rendered = instructions === undefined ? group : withInstructions(group, instructions);
  cache.set(members[0], { members, rendered, ...(instructions !== undefined && { instructions }) });
  return rendered;
}

function renderGroup(members: readonly [Message, ...Message[]]): Message {
  const [first] = members;
  if (first.role === 'assistant') return renderAssistant(first);
  if (first.role !== 'tool') return first;
  const results = members.filter(({ role }) => role === 'tool').length;
  const content = members.flatMap((each) => (each.role === 'tool' ? resultBlocks(each, results > 1) : each.content));
  return { role: 'user', content, thinking_blocks: [] };
}

function renderAssistant(message: Message): Message {
  const { tool_calls: calls = [], ...rest } = message;
  if (calls.length === 0) return message;
  const leading = textOf(message.content).trimEnd();
  const written = [...(leading.trim() === '' ? [] : [leading]), calls.map(writeCall).join('\n')].join('\n\n');
  const isMarked = message.content.some(({ cache_prompt }) => cache_prompt);
  return { ...rest, content: [{ ...text(written), cache_prompt: isMarked }] };
}

/**
 * Renders a tool result. The call id is included only when several results are adjacent, because calls in text have no
 * ids.
 */
function resultBlocks({ name = 'function', tool_call_id, content }: Message, isOneOfMany: boolean): readonly Content[] {
  const head = `${tags.result}${name}]${isOneOfMany ? ` (${tool_call_id})` : ''}:`;
  const images = content.filter(({ type }) => type === 'image').map((image) => ({ ...image, cache_prompt: false }));
  const blocks: Content[] = [text(`${head}\n${toolText(content)}`), ...images];
  const isMarked = content.some(({ cache_prompt }) => cache_prompt);
  return blocks.map((block, index) =>
    isMarked && index === blocks.length - 1 ? { ...block, cache_prompt: true } : block,
  );
}

/** Appends the instructions to the first block of a system prompt. */
function withInstructions(system: Message, instructions: string): Message {
  const [first, ...others] = system.content;
  const extended = first?.type === 'text' ? `${first.text}\n\n${instructions}` : instructions;
  const block = { ...text(extended), cache_prompt: first?.cache_prompt ?? false };
  return { ...system, content: [block, ...others] };
}
