import type { Client, ContentBlock, RequestOptions } from '@modelcontextprotocol/client';
import type { Redactor } from '@varve/text';
import { contentOfBlocks } from './mcp-content.ts';
import type { ConnectionOffers } from './mcp-server.ts';

/**
 * Sends a request, which a sentence about its failure names, and masks the tokens of the login in its result.
 *
 * @throws {ToolError} `unusable`; what the signal of the caller aborts with.
 */
export type ServerRequest = <Result>(
  what: string,
  caller: AbortSignal,
  send: (options: RequestOptions) => Promise<Result>,
) => Promise<Result>;

/** Most entries of a list, and longest address, name and description of one in characters. */
const maxEntries = 500;
const maxName = 2000;
const maxDescription = 200;

/** Returns what the server of a client offers. */
export function connectionOffers(client: Client, request: ServerRequest, redactor: Redactor): ConnectionOffers {
  const resources = keptList(async (signal) => {
    if (!client.getServerCapabilities()?.resources) return [];
    const listed = await request('a list of resources', signal, async (options) => client.listResources({}, options));
    return listed.resources.slice(0, maxEntries).map(({ uri, name, title = name, description = '' }) => {
      return { uri: uri.slice(0, maxName), description: shortened(title, description) };
    });
  });
  const prompts = keptList(async (signal) => {
    if (!client.getServerCapabilities()?.prompts) return [];
    const listed = await request('a list of prompts', signal, async (options) => client.listPrompts({}, options));
    return listed.prompts.slice(0, maxEntries).map(({ name, description = '', arguments: named = [] }) => ({
      name: name.slice(0, maxName),
      description: shortened(description),
      arguments: named.map((argument) => ({ name: argument.name, isRequired: argument.required === true })),
    }));
  });
  client.setNotificationHandler('notifications/resources/list_changed', resources.forget);
  client.setNotificationHandler('notifications/prompts/list_changed', prompts.forget);
  return {
    resources: resources.read,
    prompts: prompts.read,
    async resource(uri, signal) {
      const read = await request('a request for a resource', signal, async (options) =>
        client.readResource({ uri }, options),
      );
      return contentOfBlocks(read.contents.map(blockOf), redactor);
    },
    async prompt(name, values, signal) {
      const read = await request('a request for a prompt', signal, async (options) =>
        client.getPrompt({ name, arguments: { ...values } }, options),
      );
      return contentOfBlocks(read.messages.map(blockOfMessage), redactor);
    },
  };
}

/** Keeps a list until it is forgotten, or could not be read. */
function keptList<Entry>(list: (signal: AbortSignal) => Promise<readonly Entry[]>) {
  let kept: Promise<readonly Entry[]> | undefined;
  const forget = (): void => {
    kept = undefined;
  };
  return {
    forget,
    read: async (signal: AbortSignal): Promise<readonly Entry[]> => {
      kept ??= list(signal);
      const reading = kept;
      return reading.catch((error: unknown) => {
        if (kept === reading) forget();
        throw error;
      });
    },
  };
}

function shortened(...texts: readonly string[]): string {
  return texts
    .filter((text) => text !== '')
    .join(': ')
    .slice(0, maxDescription)
    .toWellFormed();
}

type Contents = Awaited<ReturnType<Client['readResource']>>['contents'][number];

/** Images are shown to the model, other data is only named. */
function blockOf(contents: Contents): ContentBlock {
  if ('blob' in contents && contents.mimeType?.startsWith('image/'))
    return { type: 'image', data: contents.blob, mimeType: contents.mimeType };
  return { type: 'resource', resource: contents };
}

function blockOfMessage({ role, content }: Awaited<ReturnType<Client['getPrompt']>>['messages'][number]): ContentBlock {
  if (role === 'assistant' && content.type === 'text') return { ...content, text: `Assistant: ${content.text}` };
  return content;
}
