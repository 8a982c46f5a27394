import type { LanguageModel } from '../language-model.ts';
import { protocolModel } from '../protocol/protocol-model.ts';
import type { ProtocolOptions } from '../protocol/protocol.ts';
import { responseAssembly } from './response-assembly.ts';
import { toResponseBody, type ResponseSettings } from './to-response-body.ts';

/** Options of {@link openaiResponses}. */
export interface OpenAiResponsesOptions extends ProtocolOptions {
  /** True when the server stores replies, so that reasoning is sent back by its id; false when absent. */
  readonly store?: boolean;
  /** Detail of the reasoning summary for people; none when absent. */
  readonly reasoningSummary?: ResponseSettings['reasoningSummary'];
}

/**
 * Creates a model of any server that speaks the OpenAI Responses protocol. Stateless unless `store` is true: every
 * request contains the whole conversation, and the model's reasoning is sent back encrypted. Failures and rejections
 * are handled as in `openaiChat`.
 *
 * @throws {LlmError} `bad-request` for an invalid address, header or combination of options, `unauthenticated` for a
 * key that no header can contain.
 * @see https://platform.openai.com/docs/api-reference/responses
 */
export function openaiResponses(options: OpenAiResponsesOptions): LanguageModel {
  const { store = false, reasoningSummary } = options;
  const extra = { store, ...(reasoningSummary !== undefined && { reasoningSummary }) };
  return protocolModel(options, {
    kind: 'openai-responses',
    path: '/responses',
    list: 'input',
    toBody: (request, settings) => toResponseBody(request, { ...settings, ...extra }),
    assembly: responseAssembly,
  });
}
