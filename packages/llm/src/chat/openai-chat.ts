import type { LanguageModel } from '../language-model.ts';
import { protocolModel } from '../protocol/protocol-model.ts';
import type { ProtocolOptions } from '../protocol/protocol.ts';
import { chatAssembly } from './assembly.ts';
import { toWire } from './to-wire.ts';

/** Options of {@link openaiChat}. */
export interface OpenAiChatOptions extends ProtocolOptions {}

/**
 * Creates a model of any server that speaks the OpenAI chat completions protocol, in the dialect that is known for it
 * or that its rejections reveal. Failures are not retried: wrap the model in `retry`. Reads nothing from the
 * environment and follows no redirect.
 *
 * @throws {LlmError} `bad-request` for an invalid address, header or combination of options, `unauthenticated` for a
 * key that no header can contain.
 * @see https://platform.openai.com/docs/api-reference/chat
 */
export function openaiChat(options: OpenAiChatOptions): LanguageModel {
  return protocolModel(options, {
    kind: 'openai-chat',
    path: '/chat/completions',
    list: 'messages',
    toBody: toWire,
    assembly: ({ thinkTags }) => chatAssembly(thinkTags),
  });
}
