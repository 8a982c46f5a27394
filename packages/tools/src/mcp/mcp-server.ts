import type { Content } from '@varve/events';

/** Server of the model context protocol that runs as a process. */
export interface McpProcess {
  readonly transport: 'stdio';
  readonly command: string;
  readonly args: readonly string[];
  /** Variables in addition to the public ones of the host. */
  readonly env: Readonly<Record<string, string>>;
  /** Working directory, absolute. */
  readonly directory: string;
  readonly timeoutMs?: number;
  readonly startMs?: number;
}

/** Server of the model context protocol at an address. Redirects to another origin are refused. */
export interface McpAddress {
  /** Streamable HTTP, or server-sent events of older servers. */
  readonly transport: 'http' | 'sse';
  readonly url: string;
  readonly headers: Readonly<Record<string, string>>;
  /** Client that is registered at the server that authorizes. Default: a login registers one. */
  readonly client?: { readonly client_id: string; readonly client_secret?: string };
  /** Port of this machine to which a login redirects the browser. Default: any. */
  readonly redirectPort?: number;
  readonly timeoutMs?: number;
  readonly startMs?: number;
}

/**
 * Server of the model context protocol. `timeoutMs` limits each call, default 60,000; `startMs` the start, default the
 * same, but at least 30,000.
 */
export type McpServer = McpProcess | McpAddress;

/** Tool of a server, as it describes it. Nothing of it is trusted: it is text for the model. */
export interface McpToolDescription {
  readonly name: string;
  readonly description: string;
  /** JSON Schema of type object. */
  readonly parameters: Readonly<Record<string, unknown>>;
  /** Dialect of the schema, its `$schema`. Default: 2020-12. */
  readonly dialect?: string;
}

/** Resource of a server. Its texts are the server's: nothing of them is trusted. */
export interface McpResource {
  readonly uri: string;
  /** Name and description; may be empty. */
  readonly description: string;
}

/** Prompt of a server. Its texts are the server's: nothing of them is trusted. */
export interface McpPrompt {
  readonly name: string;
  /** May be empty. */
  readonly description: string;
  readonly arguments: readonly { readonly name: string; readonly isRequired: boolean }[];
}

/** What a server offers to a person, next to its tools. Lists are kept until the server reports a change. */
export interface ConnectionOffers {
  resources(signal: AbortSignal): Promise<readonly McpResource[]>;
  prompts(signal: AbortSignal): Promise<readonly McpPrompt[]>;
  /** Returns the text of a resource, and its images. */
  resource(uri: string, signal: AbortSignal): Promise<readonly Content[]>;
  /** Returns the messages of a prompt. */
  prompt(name: string, values: Readonly<Record<string, string>>, signal: AbortSignal): Promise<readonly Content[]>;
}
