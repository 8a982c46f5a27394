import { AgentError } from '../error.ts';

/** An agent, as far as it has to be the one that worked on a conversation. */
interface AgentIdentity<Tools> {
  /** As its specification names it; undefined when nobody wrote it down. */
  readonly kind: string | undefined;
  /** By name. */
  readonly tools: Tools;
}

/**
 * Refuses to go on with a conversation by an agent that lacks what it was worked on with. An agent of another kind has other
 * tools, and what the log tells of them need not be all.
 *
 * @throws {AgentError} `tools-missing`.
 * @see software-agent-sdk ConversationState.create: the class of the agent is the one that was stored, and so are its tools
 */
export function checkAgent(
  before: AgentIdentity<readonly string[]>,
  now: AgentIdentity<ReadonlyMap<string, unknown>>,
  id: string,
): void {
  if (before.kind !== undefined && before.kind !== now.kind) {
    const what = `Conversation ${id} was worked on by an agent of kind ${before.kind}, and this one is of kind ${now.kind}`;
    throw new AgentError(
      'tools-missing',
      `${what}. Open it with one of that kind, or accept that its tools are missing.`,
    );
  }
  const missing = before.tools.filter((name) => !now.tools.has(name));
  if (missing.length === 0) return;
  const what = `Conversation ${id} was worked on with tools that the agent does not have: ${missing.join(', ')}`;
  throw new AgentError('tools-missing', `${what}. Give it those, or accept that they are missing.`);
}
