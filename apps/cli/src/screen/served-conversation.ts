import type { ConversationState } from '@varve/agent';
import type { WaitingConversation } from '@varve/host/people';
import type { RunningServer } from '../home/running-servers.ts';

/** Conversation that a running server holds: what a person does with it is sent there. */
export interface ServedConversation {
  /** Sends a message, which the server answers. */
  send(text: string): Promise<void>;
  /** Runs it, unless it runs. */
  continue(): Promise<void>;
  /** Interrupts its run. */
  interrupt(): Promise<void>;
  /** Returns the conversation as a person decides about the calls of a state. */
  reviewed(state: ConversationState, workspace: string): WaitingConversation;
}

/** Returns the conversation on the first server that has it; undefined if none can be reached. */
export async function servedConversation(
  id: string,
  servers: readonly RunningServer[],
): Promise<ServedConversation | undefined> {
  for (const server of servers) {
    const request = requestTo(server, id);
    const isThere = await request('GET', '').then(
      () => true,
      () => false,
    );
    if (isThere) return conversationOn(request, id);
  }
  return undefined;
}

type Request = (method: 'GET' | 'POST', path: string, body?: object) => Promise<void>;

/** Status of the answer to a run that is requested while it runs. */
const alreadyRunning = 409;

function requestTo({ url, key }: RunningServer, id: string): Request {
  return async (method, path, body) => {
    const response = await fetch(`${url}/api/conversations/${id}${path}`, {
      method,
      headers: { 'X-Session-API-Key': key, ...(body && { 'Content-Type': 'application/json' }) },
      ...(body && { body: JSON.stringify(body) }),
    });
    await response.body?.cancel();
    if (!response.ok && !(path === '/run' && response.status === alreadyRunning))
      throw new Error(`The server at ${url} answered with status ${response.status}.`);
  };
}

function conversationOn(request: Request, id: string): ServedConversation {
  const decide = async (accept: boolean, actionIds: readonly string[] | undefined, reason?: string): Promise<void> =>
    request('POST', '/events/respond_to_confirmation', { accept, action_ids: actionIds, reason });
  return {
    send: async (text) => request('POST', '/events', { role: 'user', content: [{ type: 'text', text }], run: true }),
    // An approval runs it already.
    continue: async () => request('POST', '/run'),
    interrupt: async () => request('POST', '/interrupt'),
    reviewed: (state, workspace) => ({
      id,
      workspace,
      state,
      // The server approves the calls with these ids.
      digestOf: () => '',
      startDirectories: () => new Map(),
      approve: async ({ actionIds } = {}) => decide(true, actionIds),
      reject: async (reason, { actionIds } = {}) => decide(false, actionIds, reason),
    }),
  };
}
