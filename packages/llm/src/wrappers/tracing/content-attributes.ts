import type { Attributes } from '@opentelemetry/api';
import { textOf, type Message } from '@varve/events';
import { sanitizeDump } from '../dumps/sanitize-dump.ts';
import type { ModelReply } from '../../model-reply.ts';
import type { ModelRequest } from '../../model-request.ts';
import { finishWords } from './call-attributes.ts';

/** Returns the complete input of a request. Secrets are masked, images are replaced by their length. */
export function inputAttributes({ messages, tools }: ModelRequest, secrets: readonly string[]): Attributes {
  const system = messages.filter(({ role }) => role === 'system').flatMap(partsOf);
  const rest = messages
    .filter(({ role }) => role !== 'system')
    .map((each) => ({ role: each.role, parts: partsOf(each) }));
  return {
    ...(system.length > 0 && { 'gen_ai.system_instructions': json(system, secrets) }),
    'gen_ai.input.messages': json(rest, secrets),
    ...(tools.length > 0 && {
      'gen_ai.tool.definitions': json(
        tools.map((tool) => ({ type: 'function', ...tool })),
        secrets,
      ),
    }),
  };
}

/** Returns the complete output of a reply, masked in the same way. */
export function outputAttributes({ message, finish }: ModelReply, secrets: readonly string[]): Attributes {
  const output = { role: 'assistant', parts: partsOf(message), finish_reason: finishWords[finish] };
  return { 'gen_ai.output.messages': json([output], secrets) };
}

function json(value: unknown, secrets: readonly string[]): string {
  return JSON.stringify(sanitizeDump(value, secrets));
}

function partsOf(message: Message): readonly object[] {
  const { role, content, reasoning_content: reasoning = '', tool_calls: calls = [], tool_call_id: id } = message;
  if (role === 'tool') return [{ type: 'tool_call_response', id, response: textOf(content) }];
  return [
    ...(reasoning === '' ? [] : [{ type: 'reasoning', content: reasoning }]),
    ...content.flatMap((block): readonly object[] =>
      block.type === 'text'
        ? [{ type: 'text', content: block.text }]
        : block.image_urls.map((uri) => ({ type: 'uri', modality: 'image', uri })),
    ),
    ...calls.map((call) => ({ type: 'tool_call', id: call.id, name: call.name, arguments: call.arguments })),
  ];
}
