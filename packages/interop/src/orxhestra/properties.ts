import type { Fields } from '../common/foreign-json.ts';
import type { Event, Part, ToolCallPart, ToolResponsePart } from './event.ts';

/** Properties of an event that are derived from its parts and metadata, as agents of orxhestra use them. */
export interface EventProperties {
  readonly text: string;
  readonly thinking: string;
  readonly data: Fields | null;
  readonly toolCalls: readonly ToolCallPart[];
  readonly toolResponses: readonly ToolResponsePart[];
  readonly hasToolCalls: boolean;
  /** Tool of the first call, else of the first result. */
  readonly toolName: string | null;
  /** Arguments of the first call. */
  readonly toolInput: Fields | null;
  readonly error: string | null;
  /** The text, and for the result of a call the result or the error, which `text` does not contain. */
  readonly shownText: string;
  readonly isSigned: boolean;
  /** Last answer of an agent by the rule of orxhestra's code, which excludes ReAct steps and errors. */
  readonly isFinalResponse: boolean;
  /** Last answer by the rule of its documentation: a whole message of the agent without calls. */
  readonly isAnswer: boolean;
  /** Step of a ReAct loop: its number, or `thought`, `action` or `observation`. */
  readonly reactStep?: string | number;
  readonly scratchpad?: string;
  /** Class of the exception that an error event reports. */
  readonly exceptionType?: string;
}

/** Returns the derived properties of an event. */
export function propertiesOf(event: Event): EventProperties {
  return {
    text: textOfEvent(event),
    thinking: thinkingOf(event),
    data: dataOf(event),
    toolCalls: toolCallsOf(event),
    toolResponses: toolResponsesOf(event),
    hasToolCalls: hasToolCalls(event),
    toolName: (toolCallsOf(event)[0] ?? toolResponsesOf(event)[0])?.tool_name ?? null,
    toolInput: toolCallsOf(event)[0]?.args ?? null,
    error: errorOf(event),
    shownText: shownTextOf(event),
    isSigned: isSigned(event),
    isFinalResponse: isFinalResponse(event),
    isAnswer: isAnswer(event),
    ...stepOf(event),
  };
}

function partsOfType<Type extends Part['type']>({ content }: Event, type: Type) {
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

/** Returns the first data part of an event, or null. */
export function dataOf(event: Event): Fields | null {
  return allDataOf(event)[0] ?? null;
}

/** Returns the data parts of an event in order. */
export function allDataOf(event: Event): readonly Fields[] {
  return partsOfType(event, 'data').map(({ data }) => data);
}

/** Returns the calls of an event in order. */
export function toolCallsOf(event: Event): readonly ToolCallPart[] {
  return partsOfType(event, 'tool_call');
}

/** Returns the results of an event in order. */
export function toolResponsesOf(event: Event): readonly ToolResponsePart[] {
  return partsOfType(event, 'tool_response');
}

/** Returns true for an event with calls. */
export function hasToolCalls(event: Event): boolean {
  return toolCallsOf(event).length > 0;
}

/**
 * Returns the error of the first result; for an event with the metadata `error` the message in it, or the text of the
 * event if it is only a mark; else null.
 */
function errorOf(event: Event): string | null {
  const [response] = toolResponsesOf(event);
  if (response && response.error !== null) return response.error;
  const { error } = event.metadata;
  if (typeof error === 'string' && error !== '') return error;
  return isTruthy(error) ? textOfEvent(event) : null;
}

/** Returns true for an event with a signature and the DID of its signer. */
export function isSigned({ signature, signer_did }: Event): boolean {
  return signature !== null && signer_did !== '';
}

/** Returns what a person reads of an event: its text, and for the result of a call the result or the error. */
function shownTextOf(event: Event): string {
  const results = toolResponsesOf(event).map(({ result, error }) => error ?? result);
  return results.length > 0 ? [textOfEvent(event), ...results].filter(Boolean).join('\n') : textOfEvent(event);
}

/**
 * Returns true for the last answer of an agent, by the rule of orxhestra: a whole message of the agent without calls,
 * which is not a ReAct step or an error, and has text or data unless `skip_summarization` is set.
 */
function isFinalResponse(event: Event): boolean {
  const { metadata, actions } = event;
  if (!isAnswer(event) || isTruthy(metadata['react_step']) || isTruthy(metadata['error'])) return false;
  return actions.skip_summarization === true || textOfEvent(event) !== '' || dataOf(event) !== null;
}

/** Returns true for a whole message of the agent without calls: the rule that orxhestra documents. */
function isAnswer(event: Event): boolean {
  return event.type === 'agent_message' && event.partial !== true && !hasToolCalls(event);
}

/** Returns the metadata that agents of orxhestra write: the ReAct step, its notes, and the class of an exception. */
function stepOf({ metadata }: Event): {
  readonly reactStep?: string | number;
  readonly scratchpad?: string;
  readonly exceptionType?: string;
} {
  const { react_step, scratchpad, exception_type } = metadata;
  return {
    ...((typeof react_step === 'string' || typeof react_step === 'number') && { reactStep: react_step }),
    ...(typeof scratchpad === 'string' && { scratchpad }),
    ...(typeof exception_type === 'string' && { exceptionType: exception_type }),
  };
}

/** Returns true for a value that Python takes for true. */
export function isTruthy(value: unknown): boolean {
  if (Array.isArray(value)) return value.length > 0;
  return typeof value === 'object' && value !== null ? Object.keys(value).length > 0 : Boolean(value);
}
