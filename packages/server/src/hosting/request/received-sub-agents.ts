import { receivedDefinition, type SubAgentDefinition } from '@varve/agent/delegation';
import { RequestError } from '../../error.ts';

/** Returns the sub-agents that a client sends. @throws {RequestError} `invalid` for one that cannot be used. */
export function receivedSubAgents(sent: readonly unknown[]): readonly SubAgentDefinition[] {
  return sent.map((one) => {
    try {
      return receivedDefinition(one);
    } catch (cause) {
      if (!(cause instanceof TypeError)) throw cause;
      throw new RequestError('invalid', `agent_definitions: ${cause.message}`, { cause });
    }
  });
}

/** Returns a definition as the log contains it: without servers and hooks, which have no effect. */
export function shownDefinition(sent: Readonly<Record<string, unknown>>): Record<string, unknown> {
  const { mcp_config: _servers, mcp_servers: _more, mcpServers: _others, hooks: _hooks, ...shown } = sent;
  return shown;
}
