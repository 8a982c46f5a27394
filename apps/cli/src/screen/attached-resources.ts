import { text, type Content } from '@varve/events';
import type { PreparedAgent } from '@varve/settings/agent';
import { ToolError } from '@varve/tools';
import type { Attached } from './attached-images.ts';

/** A word of a message that names a resource of a server: `@SERVER:URI`, and no punctuation after it. */
const reference = /(?<=^|\s)@(?<server>[^\s:@/]+):(?<uri>\S*[^\s.,;!?)])/g;

/** Most resources of one message. */
const maxResources = 10;

/** Reads the resources of servers that are named in a message; names of unknown servers are only text. */
export async function attachedResources(
  message: string,
  { agent, offers }: Pick<PreparedAgent, 'agent' | 'offers'>,
  signal: AbortSignal,
): Promise<Attached> {
  if (!offers) return { content: [], problems: [] };
  const { name, capabilities } = agent.model;
  const named = new Map(
    Array.from(message.matchAll(reference), ({ 0: word, groups: { server = '', uri = '' } = {} }) => {
      return [word, { server, uri }] as const;
    }).filter(([, { server }]) => offers.servers.has(server)),
  );
  const content: Content[] = [];
  const problems: string[] = [];
  for (const [word, { server, uri }] of [...named].slice(0, maxResources)) {
    try {
      const parts = await offers.resource(server, uri, signal);
      const isHidden = !capabilities.vision && parts.some(({ type }) => type === 'image');
      if (isHidden) problems.push(`${name} does not see images: those of ${word} are not sent.`);
      content.push(text(`Resource ${uri} of the server ${server}:`), ...(isHidden ? parts.filter(isText) : parts));
    } catch (error) {
      if (!(error instanceof ToolError) || signal.aborted) throw error;
      problems.push(`${word} is only text. ${error.message}`);
    }
  }
  const left = [...named.keys()].slice(maxResources);
  if (left.length > 0)
    problems.push(`A message has at most ${maxResources} resources: ${left.join(', ')} is only text.`);
  return { content, problems };
}

function isText({ type }: Content): boolean {
  return type === 'text';
}
