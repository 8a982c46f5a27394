import { createRequire } from 'node:module';

const { AgentServerClient, BashWebSocketClient, RemoteConversation, RemoteWorkspace, WebSocketCallbackClient } =
  await officialClient();

export { AgentServerClient, BashWebSocketClient, RemoteConversation, RemoteWorkspace, WebSocketCallbackClient };

/**
 * Loads the official client, whose sockets look up `ws` by a bare `require` when the module is loaded, which ES modules
 * do not have. Tests import its values from here and its types from the package.
 */
async function officialClient() {
  const require = createRequire(import.meta.resolve('@openhands/typescript-client'));
  Object.defineProperty(globalThis, 'require', { configurable: true, value: require });
  try {
    const client = await import('@openhands/typescript-client');
    const { AgentServerClient: Client } = await import('@openhands/typescript-client/clients');
    return { ...client, AgentServerClient: Client };
  } finally {
    Reflect.deleteProperty(globalThis, 'require');
  }
}
