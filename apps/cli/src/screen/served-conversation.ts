import type { ConversationState } from '@varve/agent';
import type { Content } from '@varve/events';
import type { WaitingConversation } from '@varve/host/people';
import { agentServer } from '@varve/tools/workspace';
import type { RunningServer } from '../home/running-servers.ts';

/** Conversation that a running server holds: what a person does with it is sent there. */
export interface ServedConversation {
  /** Sends a message, which the server answers. */
  send(content: readonly Content[]): Promise<void>;
  /** Adds a message that nothing answers yet. */
  add(content: readonly Content[]): Promise<void>;
  /** Works until a model judges an objective as met. */
  pursue(objective: string): Promise<void>;
  /** Runs it, unless it runs. */
  continue(): Promise<void>;
  /** Interrupts its run. */
  interrupt(): Promise<void>;
  /** Returns the conversation as a person decides about the calls of a state. */
  reviewed(state: ConversationState, workspace: string): WaitingConversation;
}

/** Returns the conversation on the server that holds it; undefined if none does. */
export async function servedConversation(
  id: string,
  servers: readonly RunningServer[],
): Promise<ServedConversation | undefined> {
  for (const server of servers) {
    const request = requestTo(server, id);
    // A server without the lease answers that the conversation does not exist.
    const isThere = await request('/events', { role: 'user', content: [], run: false }).then(
      () => true,
      () => false,
    );
    if (isThere) return conversationOn(request, id);
  }
  return undefined;
}

type Request = (path: string, body?: object) => Promise<void>;

/** Longest wait for a server: one that was stopped answers nothing. */
const timeoutMs = 10_000;

function requestTo({ url, key }: RunningServer, id: string): Request {
  const server = agentServer({ url, apiKey: key });
  return async (path, body) => {
    const signal = AbortSignal.timeout(timeoutMs);
    const response = await server.send(`/api/conversations/${id}${path}`, {
      method: 'POST',
      ...(body && { body }),
      signal,
    });
    await response.body?.cancel();
  };
}

function conversationOn(request: Request, id: string): ServedConversation {
  const decide = async (decision: object): Promise<void> => request('/events/respond_to_confirmation', decision);
  return {
    send: async (content) => request('/events', { role: 'user', content, run: true }),
    add: async (content) => request('/events', { role: 'user', content, run: false }),
    pursue: async (objective) => request('/goal', { objective }),
    // What waits by then is not approved by it.
    continue: async () => request('/events', { role: 'user', content: [], run: true }),
    interrupt: async () => request('/interrupt'),
    reviewed(state, workspace) {
      let { pending } = state;
      return {
        id,
        workspace,
        get state() {
          return { ...state, pending };
        },
        // The server approves the calls with these ids.
        digestOf: () => '',
        // The shell is that of the server: nothing can be approved for more than this call.
        startDirectories: () => undefined,
        async approve({ actionIds = [], arguments: changed } = {}) {
          await decide({ accept: true, action_ids: actionIds, arguments: changed });
          pending = pending.map((call) => (actionIds.includes(call.event.id) ? { ...call, approvedDigest: '' } : call));
        },
        async reject(reason, { actionIds = [] } = {}) {
          await decide({ accept: false, action_ids: actionIds, reason });
          pending = pending.filter(({ event }) => !actionIds.includes(event.id));
        },
      };
    },
  };
}
