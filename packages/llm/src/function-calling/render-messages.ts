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
  const rendered = groupsOf(messages).map((group) => renderCached(group, cache));
  return instructions === undefined ? rendered : withInstructions(rendered, instructions);
}

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

function renderCached(members: readonly [Message, ...Message[]], cache: RenderCache): Message {
  const known = cache.get(members[0]);
  if (known?.members.length === members.length && known.members.every((each, index) => each === members[index])) {
    return known.rendered;
  }
  const rendered = renderGroup(members);
  cache.set(members[0], { members, rendered });
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

/** Appends the instructions to the first block of the system prompt: it changes least, and prompt caches contain it. */
function withInstructions(messages: readonly Message[], instructions: string): readonly Message[] {
  const at = messages.findIndex(({ role }) => role === 'system');
  const system = messages[at];
  if (!system) return [{ role: 'system', content: [text(instructions)], thinking_blocks: [] }, ...messages];
  const [first, ...others] = system.content;
  const extended = first?.type === 'text' ? `${first.text}\n\n${instructions}` : instructions;
  const block = { ...text(extended), cache_prompt: first?.cache_prompt ?? false };
  return messages.with(at, { ...system, content: [block, ...others] });
}
