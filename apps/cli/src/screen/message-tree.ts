import type { Conversation } from '@varve/agent';
import { textOf, type BaseEvent } from '@varve/events';
import { ConversationStateUpdateEvent, MessageEvent } from '@varve/events/kinds';
import { branchEvents } from '../conversations/branch-events.ts';

/** Message of a user on any branch. */
export interface MessageOnBranch {
  /** Id of the last event before the next message, which can be continued after. */
  readonly end: string;
  readonly text: string;
  /** Lines of a drawing that lead to the message from the one before it. */
  readonly lines: string;
  /** True on the branch that the conversation is on. */
  readonly isActive: boolean;
}

/** Message with what follows it. */
interface Node {
  readonly text: string;
  readonly children: Node[];
  end: string;
  isActive: boolean;
}

/** Returns the messages of the user on all branches, each followed by those after it; the oldest branch first. */
export async function messageTree(
  conversation: Pick<Conversation, 'events' | 'state'>,
): Promise<readonly MessageOnBranch[]> {
  const roots: Node[] = [];
  /** Last event of the tree at each event, and the message that it belongs to. */
  const places = new Map<string, { readonly end: string; readonly node?: Node | undefined }>();
  let last: string | undefined;
  for await (const { event } of conversation.events()) {
    const before = places.get(event.parent_id ?? last ?? '');
    if (ConversationStateUpdateEvent.is(event)) {
      // An event that follows a state update follows what is before it.
      if (before) places.set(event.id, before);
      continue;
    }
    const node = isOfUser(event) ? added(event, before?.node?.children ?? roots) : before?.node;
    if (node) node.end = event.id;
    places.set(event.id, { end: event.id, node });
    last = event.id;
  }
  for (const { id } of await branchEvents(conversation)) {
    const node = places.get(id)?.node;
    if (node) node.isActive = true;
  }
  return rowsBelow(roots, '');
}

/** Returns true for a message of the user. */
export function isOfUser(event: BaseEvent): event is MessageEvent {
  return MessageEvent.is(event) && event.source === 'user';
}

/** Returns what the user typed, without what was added to the message: files, and outputs of commands. */
export function typedText({ llm_message: { content } }: MessageEvent): string {
  return textOf(content.filter(({ type }) => type === 'text').slice(0, 1));
}

function added(event: MessageEvent, siblings: Node[]): Node {
  const text = typedText(event).slice(0, 200);
  const node = { text, children: [], end: event.id, isActive: false };
  siblings.push(node);
  return node;
}

/** Returns the rows of messages with the same one before them: a branch each, if there are several. */
function rowsBelow(nodes: readonly Node[], lines: string): readonly MessageOnBranch[] {
  return nodes.flatMap(({ children, ...node }, index) => {
    const isLast = index === nodes.length - 1;
    const [first, rest] = nodes.length === 1 ? ['', ''] : isLast ? ['└ ', '  '] : ['├ ', '│ '];
    return [{ ...node, lines: lines + first }, ...rowsBelow(children, lines + rest)];
  });
}
