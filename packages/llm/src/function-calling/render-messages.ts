import { text, textOf, type Content, type Message } from '@varve/events';
import { toolText } from '../tool-text.ts';
import { tags } from '../text-calls/function-tags/tags.ts';
import { writeCall } from '../text-calls/function-tags/write-call.ts';

/** Keeps what groups of messages became, so that an adapter meets the same objects again; messages never change. */
export type RenderCache = WeakMap<Message, RenderedGroup>;

interface RenderedGroup {
  /** What the group was made of. */
  readonly members: readonly Message[];
  readonly rendered: Message;
}

/**
 * A history without calls and results in fields of their own: calls stand in the text of the assistant, results in that of
 * the user, together with what the user says next, because many chat templates want the two to take turns. The history
 * itself is neither changed nor ever read back from text.
 */
export function renderMessages(
  messages: readonly Message[],
  { instructions, cache }: { readonly instructions: string | undefined; readonly cache: RenderCache },
): readonly Message[] {
  const rendered = groupsOf(messages).map((group) => renderCached(group, cache));
  return instructions === undefined ? rendered : withInstructions(rendered, instructions);
}

/** Results of tools, and the user's words after them, are one group; every other message is one by itself. */
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
  const said = textOf(message.content).trimEnd();
  const written = [...(said.trim() === '' ? [] : [said]), calls.map(writeCall).join('\n')].join('\n\n');
  const isMarked = message.content.some(({ cache_prompt }) => cache_prompt);
  return { ...rest, content: [{ ...text(written), cache_prompt: isMarked }] };
}

/** A text has no place for the ids of calls, so an id is told only where several results stand together. */
function resultBlocks({ name = 'function', tool_call_id, content }: Message, isOneOfMany: boolean): readonly Content[] {
  const head = `${tags.result}${name}]${isOneOfMany ? ` (${tool_call_id})` : ''}:`;
  const images = content.filter(({ type }) => type === 'image').map((image) => ({ ...image, cache_prompt: false }));
  const blocks: Content[] = [text(`${head}\n${toolText(content)}`), ...images];
  const isMarked = content.some(({ cache_prompt }) => cache_prompt);
  return blocks.map((block, index) =>
    isMarked && index === blocks.length - 1 ? { ...block, cache_prompt: true } : block,
  );
}

/** At the end of the first block of the system prompt: it changes least, and is what prompt caches keep. */
function withInstructions(messages: readonly Message[], instructions: string): readonly Message[] {
  const at = messages.findIndex(({ role }) => role === 'system');
  const system = messages[at];
  if (!system) return [{ role: 'system', content: [text(instructions)], thinking_blocks: [] }, ...messages];
  const [first, ...others] = system.content;
  const said = first?.type === 'text' ? `${first.text}\n\n${instructions}` : instructions;
  const block = { ...text(said), cache_prompt: first?.cache_prompt ?? false };
  return messages.with(at, { ...system, content: [block, ...others] });
}
