import type { LanguageModel } from '../language-model.ts';
import { chatAssembly } from './assembly.ts';
import { replyOf, type ReplySettings } from '../protocol/from-wire.ts';
import { protocolModel, type Protocol, type ProtocolOptions } from '../protocol/protocol-model.ts';
import { toWire } from './to-wire.ts';
import type { WireRequest } from './wire-request.ts';
import { usageOf } from '../protocol/usage-of.ts';
import { wireBytes } from '../http/wire-bytes.ts';

/** Which model of which server is asked, and how. */
export interface OpenAiChatOptions extends ProtocolOptions {}

/**
 * Any server that speaks the OpenAI chat completions protocol, in the dialect that is known of it or learned from what it
 * rejects. Failures are not retried: wrap it in `retry`. Reads nothing from the environment and follows no redirect.
 *
 * @throws {LlmError} `bad-request` for an address that is none, `unauthenticated` for a key that no header can carry.
 * @see https://platform.openai.com/docs/api-reference/chat
 */
export function openaiChat(options: OpenAiChatOptions): LanguageModel {
  return protocolModel(options, chatProtocol());
}

function chatProtocol(): Protocol<WireRequest> {
  return {
    kind: 'openai-chat',
    path: '/chat/completions',
    bytesOf: wireBytes('messages'),
    bodyOf: toWire,
    assembly({ thinkTags }) {
      const answer = chatAssembly(thinkTags);
      return Object.assign(answer, {
        reply: (settings: ReplySettings) => replyOf(answer.result(), settings),
        heard() {
          const { text, reasoning, usage } = answer.result();
          return { text, reasoning, ...usageOf(usage) };
        },
      });
    },
  };
}
