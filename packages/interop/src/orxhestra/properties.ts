import type { Event, Part } from './event.ts';

/** Returns the properties of an event that are derived from its parts and metadata, as agents of orxhestra use them. */
export function propertiesOf(event: Event) {
  const { type, partial, metadata, actions } = event;
  const text = textOfEvent(event);
  const data = partsOfType(event, 'data').map((part) => part.data)[0] ?? null;
  const toolCalls = partsOfType(event, 'tool_call');
  const toolResponses = partsOfType(event, 'tool_response');
  const results = toolResponses.map(({ result, error }) => error ?? result);
  const isAnswer = type === 'agent_message' && partial !== true && toolCalls.length === 0;
  const isNote = isTruthy(metadata['react_step']) || isTruthy(metadata['error']);
  return {
    text,
    thinking: thinkingOf(event),
    data,
    toolCalls,
    toolResponses,
    hasToolCalls: toolCalls.length > 0,
    /** Tool of the first call, else of the first result. */
    toolName: (toolCalls[0] ?? toolResponses[0])?.tool_name ?? null,
    /** Arguments of the first call. */
    toolInput: toolCalls[0]?.args ?? null,
    error: errorOf(event),
    /** What a person reads: the text, and for the result of a call the result or the error, which `text` lacks. */
    shownText: results.length > 0 ? [text, ...results].filter(Boolean).join('\n') : text,
    isSigned: isSigned(event),
    /** Last answer of an agent by the rule of orxhestra's code, which excludes ReAct steps and errors. */
    isFinalResponse: isAnswer && !isNote && (actions.skip_summarization === true || text !== '' || data !== null),
    /** Last answer by the rule of its documentation: a whole message of the agent without calls. */
    isAnswer,
    ...stepOf(event),
  };
}

/** Returns the parts of a type in order. */
export function partsOfType<Type extends Part['type']>({ content }: Event, type: Type) {
  return content.parts.filter((part): part is Extract<Part, { type: Type }> => part.type === type);
}

/** Returns the text parts of an event, joined without a separator. Empty for the result of a call. */
export function textOfEvent(event: Event): string {
  return partsOfType(event, 'text')
    .map(({ text }) => text)
    .join('');
}

/** Returns the thinking parts of an event, joined without a separator. */
export function thinkingOf(event: Event): string {
  return partsOfType(event, 'thinking')
    .map(({ thinking }) => thinking)
    .join('');
}

/**
 * Returns the error of the first result; for an event with the metadata `error` the message in it, or the text of the
 * event if it is only a mark; else null.
 */
function errorOf(event: Event): string | null {
  const [response] = partsOfType(event, 'tool_response');
  if (response && response.error !== null) return response.error;
  const { error } = event.metadata;
  if (typeof error === 'string' && error !== '') return error;
  return isTruthy(error) ? textOfEvent(event) : null;
}

/** Returns true for an event with a signature and the DID of its signer. */
export function isSigned({ signature, signer_did }: Event): boolean {
  return signature !== null && signer_did !== '';
}

/** Returns the metadata that agents of orxhestra write: the ReAct step, its notes, and the class of an exception. */
function stepOf({ metadata: { react_step: step, scratchpad, exception_type: exceptionType } }: Event) {
  return {
    ...((typeof step === 'string' || typeof step === 'number') && { reactStep: step }),
    ...(typeof scratchpad === 'string' && { scratchpad }),
    ...(typeof exceptionType === 'string' && { exceptionType }),
  };
}

/** Returns true for a value that Python takes for true. */
export function isTruthy(value: unknown): boolean {
  if (Array.isArray(value)) return value.length > 0;
  return typeof value === 'object' && value !== null ? Object.keys(value).length > 0 : Boolean(value);
}
