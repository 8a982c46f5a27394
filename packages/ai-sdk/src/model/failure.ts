import { LlmError, type LlmErrorCode } from '@varve/llm';
import type { ServerErrors } from '@varve/llm/kit';
import { parseJson } from '@varve/text';

/** Codes of errors of the AI SDK that are not about an exchange, by their names. */
const codes: Readonly<Record<string, LlmErrorCode>> = {
  AI_LoadAPIKeyError: 'unauthenticated',
  AI_LoadSettingError: 'bad-request',
  AI_InvalidArgumentError: 'bad-request',
  AI_InvalidPromptError: 'bad-request',
  AI_NoSuchModelError: 'unknown-model',
  AI_NoSuchProviderReferenceError: 'bad-request',
  AI_UnsupportedFunctionalityError: 'unsupported',
  AI_EmptyResponseBodyError: 'malformed-reply',
  AI_InvalidResponseDataError: 'malformed-reply',
  AI_JSONParseError: 'malformed-reply',
  AI_NoContentGeneratedError: 'empty',
  AI_TypeValidationError: 'malformed-reply',
};

/** Fields of an `APICallError`, whose class may be that of another copy of the package. */
interface CallError extends Error {
  readonly statusCode?: number;
  readonly responseHeaders?: Readonly<Record<string, string>>;
  readonly responseBody?: string;
}

interface FailureContext {
  readonly errors: ServerErrors;
  readonly hasContent: boolean;
}

/** Returns the error of what a model of the AI SDK, or its stream, threw; `hasContent` after a part of a reply. */
export function failureOf(error: unknown, { errors, hasContent }: FailureContext): LlmError {
  if (error instanceof LlmError) return error;
  if (!(error instanceof Error)) return errors.fromAnswer(error);
  const { name, message, cause } = error;
  if (cause instanceof LlmError) return cause;
  if (name === 'AI_APICallError') return callFailure(error, errors);
  if (name === 'AI_InvalidResponseDataError' && hasContent) return errors.fromBody(error);
  const code = Object.hasOwn(codes, name) ? codes[name] : undefined;
  if (code !== undefined) return errors.create(code, `reported an error: ${message}`);
  return errors.fromBody(error);
}

function callFailure(error: CallError, errors: ServerErrors): LlmError {
  const { statusCode: status, responseBody, responseHeaders, message } = error;
  if (status === undefined) return errors.fromConnection(error);
  const body = parseJson(responseBody ?? '');
  // The status is that of a success: the answer is not of the protocol, or contains an error.
  if (status < 300) {
    const isError = typeof body === 'object' && body !== null && 'error' in body && body.error !== null;
    if (isError) return errors.fromAnswer(body);
    const isUnreadable = error.cause instanceof Error && Object.hasOwn(codes, error.cause.name);
    return isUnreadable ? errors.create('malformed-reply', `sent no reply: ${message}`) : errors.fromBody(error);
  }
  const headers = new Headers(responseHeaders);
  return errors.fromStatus({ status, headers, ...(body !== undefined && { body }), text: responseBody || message });
}
