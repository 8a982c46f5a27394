import type { Json } from '@varve/events';

/** Data stored next to a log: what a listing shows, and what opening the conversation again needs. */
export interface ConversationMeta {
  readonly title?: string;
  readonly status: string;
  readonly workspace: string;
  /** Spec of the agent. */
  readonly agent: Json;
  /** Specs of the tools that its client executes. */
  readonly client_tools?: readonly Json[];
  /** Id of the parent conversation. */
  readonly parent?: string;
  /** Present while a goal is pursued: also between its runs, when its work is judged. */
  readonly goal?: 'running';
  /** Number of events whose policy updates the agent's spec already contains, if there are any. */
  readonly policies_head?: number;
}

/** Returns the fields of a stored `meta`; none if it is not an object. Texts of another type are left out. */
export function readMeta(meta: Json): Partial<ConversationMeta> {
  if (typeof meta !== 'object' || meta === null || Array.isArray(meta)) return {};
  return Object.fromEntries(Object.entries(meta).filter(isValid)) as Partial<ConversationMeta>;
}

const texts = new Set<string>(['title', 'status', 'workspace', 'parent'] satisfies (keyof ConversationMeta)[]);

function isValid([name, value]: readonly [string, unknown]): boolean {
  return !texts.has(name) || typeof value === 'string';
}

/** Returns the title of a conversation that has none: the first line of the user's first message, if it has text. */
export function titleFrom(message: string): string | undefined {
  const [line = ''] = message.trim().split('\n', 1);
  if (line === '') return undefined;
  return line.length > 80 ? `${line.slice(0, 79)}…` : line;
}
