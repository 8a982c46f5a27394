import type { BaseEvent } from '../define-event.ts';
import { builtinKinds, type Event } from '../kinds/builtin-kinds.ts';
import { textOf, type Content } from '../content.ts';
import { isOpaque, type OpaqueEvent } from '../opaque-event.ts';
import type { Observation } from '../define-payload.ts';
import { presentObservation } from '../payloads/present-observation.ts';
import { actionSubject } from './action-subject.ts';
import { oneLine } from './one-line.ts';
import type { TextMark, TextOptions } from './text-options.ts';

/** How long a line is, and how it is marked. */
export interface LineOptions extends TextOptions {
  /** UTF-16 units at most; default 120. */
  readonly maxLength?: number;
}

/** What a line says, with any line breaks and at any length. */
type Told = string | readonly [mark: TextMark, text: string];
type Tellers = { readonly [Kind in Event['kind']]: (event: Extract<Event, { readonly kind: Kind }>) => Told };

const tellers: Tellers = {
  ACPToolCallEvent: ({ title, status, tool_kind: kind, is_error: isError }) => {
    const line = `external agent: ${title}${kind ? ` (${kind})` : ''}${status ? `: ${status}` : ''}`;
    return isError ? ['error', line] : line;
  },
  ActionEvent: (event) => {
    const how = event.action ? 'calls' : 'calls in vain';
    const risk = event.security_risk === 'HIGH' ? ' (high risk)' : '';
    return `agent ${how} ${event.tool_name}${risk}: ${actionSubject(event)}`;
  },
  AgentErrorEvent: ({ tool_name: tool, error }) => ['error', `${tool} failed: ${error}`],
  Condensation: ({ forgotten_event_ids: forgotten, summary }) => [
    'quiet',
    `${count(forgotten.length, 'event')} forgotten${summary === undefined ? '' : `: ${summary}`}`,
  ],
  CondensationRequest: () => ['quiet', 'condensation asked for'],
  CondensationSummaryEvent: ({ summary }) => ['quiet', `summary: ${summary}`],
  ConversationErrorEvent: ({ code, detail }) => ['error', `${code}: ${detail}`],
  ConversationStateUpdateEvent: ({ key, value }) => ['quiet', `${key} = ${JSON.stringify(value) ?? ''}`],
  HookExecutionEvent: (event) => {
    const { hook_event_type: type, tool_name: tool, reason, error, hook_command: command } = event;
    const line = `hook ${type}${tool ? ` on ${tool}` : ''}: ${hookEnd(event)}: ${reason ?? error ?? command}`;
    return event.blocked || !event.success ? ['warning', line] : ['quiet', line];
  },
  InterruptEvent: () => ['warning', 'interrupted'],
  LLMCompletionLogEvent: ({ filename, model_name: model }) => ['quiet', `log of a completion of ${model}: ${filename}`],
  MessageEvent: ({ source, llm_message: { content } }) => `${source}: ${contentText(content)}`,
  ObservationEvent: ({ tool_name: tool, observation }) =>
    observation.is_error
      ? ['error', `${tool} failed: ${resultText(observation)}`]
      : `${tool}: ${resultText(observation)}`,
  PauseEvent: () => ['warning', 'paused'],
  ServerErrorEvent: ({ code, detail }) => ['error', `server: ${code}: ${detail}`],
  StreamingDeltaEvent: ({ content, reasoning_content: reasoning }) => ['quiet', `… ${content ?? reasoning ?? ''}`],
  SystemPromptEvent: ({ system_prompt: prompt, tools }) => [
    'quiet',
    `system prompt of ${count(prompt.text.length, 'character')}, ${count(tools.length, 'tool')}`,
  ],
  TokenEvent: ({ prompt_token_ids: asked, response_token_ids: answered }) => [
    'quiet',
    `${count(asked.length, 'token')} in, ${answered.length} out`,
  ],
  UserRejectObservation: ({ tool_name: tool, rejection_source: by, rejection_reason: reason }) => [
    'warning',
    `${by} refused ${tool}: ${reason}`,
  ],
};

/**
 * An event as one short line of text for people: who did what, and the beginning of what was said. Total: whatever a log
 * holds gives a line without line breaks and control characters; an event of a kind that is not built in shows its JSON.
 *
 * @see software-agent-sdk Event.visualize (there a long form only)
 */
export function eventLine(event: BaseEvent, { maxLength = 120, mark }: LineOptions = {}): string {
  const told = tell(event);
  const [style, text] = typeof told === 'string' ? [undefined, told] : told;
  const line = oneLine(text, maxLength);
  return style && mark ? mark(style, line) : line;
}

function tell(event: BaseEvent): Told {
  if (isOpaque(event)) return ['quiet', opaqueLine(event)];
  if (!isBuiltin(event)) return `${event.kind} ${JSON.stringify(event)}`;
  return (tellers[event.kind] as (event: Event) => Told)(event);
}

const builtin = new Set<string>(builtinKinds.map(({ kind }) => kind));

function isBuiltin(event: BaseEvent): event is Event {
  return builtin.has(event.kind);
}

function opaqueLine({ wireKind, problem, text }: OpaqueEvent): string {
  return problem === undefined ? `${wireKind} ${text}` : `unreadable ${wireKind || 'event'}: ${problem} ${text}`;
}

function hookEnd({ blocked, success }: Extract<Event, { readonly kind: 'HookExecutionEvent' }>): string {
  if (blocked) return 'blocked';
  return success ? 'passed' : 'failed';
}

function contentText(content: readonly Content[]): string {
  const images = content.reduce((sum, block) => sum + (block.type === 'image' ? block.image_urls.length : 0), 0);
  return `${images === 0 ? '' : `[${count(images, 'image')}] `}${textOf(content)}`;
}

function resultText(observation: Observation): string {
  const { is_error: _isError, ...rest } = observation;
  const said = contentText(presentObservation({ ...rest, content: rest.content, is_error: false }));
  return said.trim() === '' ? '(no output)' : said;
}

function count(number: number, noun: string): string {
  return `${number} ${noun}${number === 1 ? '' : 's'}`;
}
