import * as z from 'zod';
import { lazy } from '@varve/events';
import { SourceError, contentDigest, fileDigest } from '@varve/skills';
import { definitionOf } from './parse-definition.ts';
import type { SubAgentDefinition } from './sub-agent-definition.ts';

const received = lazy(() => z.looseObject({ name: z.string(), system_prompt: z.string().nullish() }));

/**
 * Returns the sub-agent that a client of the reference describes. Its servers and hooks have no effect: what runs
 * programs belongs to the conversation.
 *
 * @throws {TypeError} for fields that are invalid, and one without instructions.
 * @see software-agent-sdk openhands/sdk/subagent/schema.py AgentDefinition
 */
export function receivedDefinition(json: unknown): SubAgentDefinition {
  const { data } = received().safeParse(json);
  if (!data) throw new TypeError('A sub-agent needs a name.');
  const { system_prompt: body, ...fields } = data;
  try {
    const front = { fields, body: (body ?? '').trim(), lineOf: () => 1 };
    const { ignored: _, ...parsed } = definitionOf(front, data.name, false);
    return {
      ...parsed,
      mcpServers: {},
      path: '',
      scope: 'user',
      executes: false,
      isTrusted: false,
      digest: contentDigest('agent', { agent: fileDigest(Buffer.from(JSON.stringify(data))) }),
    };
  } catch (error) {
    if (!(error instanceof SourceError)) throw error;
    throw new TypeError(`The sub-agent ${data.name.slice(0, 64)} cannot be used: ${error.message}`, { cause: error });
  }
}
