import type { LanguageModel } from '../language-model.ts';
import { protocolModel, type ProtocolOptions } from '../protocol/protocol-model.ts';
import { wireBytes } from '../http/wire-bytes.ts';
import { responseAssembly } from './response-assembly.ts';
import { toResponseBody, type ResponseSettings } from './to-response-body.ts';

/** Which model of which server is asked, and how. */
export interface OpenAiResponsesOptions extends ProtocolOptions {
  /** Whether the server keeps replies, so that reasoning goes back by its id; false when absent. */
  readonly store?: boolean;
  /** How much of its reasoning the model tells people; nothing when absent. */
  readonly reasoningSummary?: ResponseSettings['reasoningSummary'];
}

/**
 * Any server that speaks the OpenAI Responses protocol. Stateless unless `store` says otherwise: every request holds the whole
 * conversation, and the model's reasoning goes back to it sealed. Failures and rejections are as with `openaiChat`.
 *
 * @throws {LlmError} `bad-request` for an address that is none, `unauthenticated` for a key that no header can carry.
 * @see https://platform.openai.com/docs/api-reference/responses
 */
export function openaiResponses(options: OpenAiResponsesOptions): LanguageModel {
  const { store = false, reasoningSummary } = options;
  const extra = { store, ...(reasoningSummary !== undefined && { reasoningSummary }) };
  return protocolModel(options, {
    kind: 'openai-responses',
    path: '/responses',
    bytesOf: wireBytes('input'),
    bodyOf: (request, settings) => toResponseBody(request, { ...settings, ...extra }),
    assembly: responseAssembly,
  });
}
