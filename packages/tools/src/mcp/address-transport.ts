import {
  SSEClientTransport,
  StreamableHTTPClientTransport,
  type AuthProvider,
  type OAuthClientProvider,
} from '@modelcontextprotocol/client';
import { limitedFetch } from './limited-fetch.ts';
import type { McpAddress } from './mcp-server.ts';
import type { StartBudget } from './message-limits.ts';

/** Returns the transport to a server at an address. Its messages are limited, and its redirects stay in its origin. */
export function addressTransport(
  { transport, url, headers }: McpAddress,
  budget: StartBudget,
  authProvider?: AuthProvider | OAuthClientProvider,
): SSEClientTransport | StreamableHTTPClientTransport {
  const options = {
    fetch: limitedFetch(budget),
    requestInit: { headers: { ...headers } },
    redirectPolicy: 'same-origin',
    ...(authProvider && { authProvider }),
  } as const;
  return transport === 'sse'
    ? new SSEClientTransport(new URL(url), options)
    : new StreamableHTTPClientTransport(new URL(url), options);
}
