import { textOf, type BaseEvent } from '@varve/events';
import {
  ActionEvent,
  AgentErrorEvent,
  ConversationErrorEvent,
  Condensation,
  MessageEvent,
  ObservationEvent,
  SystemPromptEvent,
  UserRejectObservation,
} from '@varve/events/kinds';
import { presentObservation } from '@varve/events/payloads';
import { safeText } from '@varve/events/text';
import { DroppedCounter, subjectOf, type Dropped } from '../common/origins.ts';
import { countUnshown } from '../common/unshown.ts';

/** Part of a transcript that a person reads. Its texts are safe to show; they are not escaped. */
export interface TranscriptPart {
  readonly role: 'prompt' | 'user' | 'agent' | 'environment' | 'call' | 'result' | 'error' | 'summary';
  /** Local time of the event, without a zone. */
  readonly time: string;
  /** Name of the tool; empty for messages. */
  readonly tool: string;
  readonly text: string;
}

/** Returns what a person reads of a conversation, in order. Facts and changes of the state are counted as dropped. */
export function transcriptOf(events: readonly BaseEvent[]): {
  readonly parts: readonly TranscriptPart[];
  readonly dropped: readonly Dropped[];
} {
  const dropped = new DroppedCounter();
  const parts = events.flatMap((event) => {
    const drafts = partsOf(event);
    if (!drafts) dropped.add(subjectOf(event), 'A transcript has no place for it.');
    countUnshown(event, dropped);
    return (drafts ?? []).map((part) => ({
      ...part,
      time: safeText(event.timestamp),
      tool: safeText(part.tool),
      text: safeText(part.text),
    }));
  });
  return { parts, dropped: dropped.list() };
}

type Draft = Omit<TranscriptPart, 'time'>;

function partsOf(event: BaseEvent): readonly Draft[] | undefined {
  if (SystemPromptEvent.is(event)) return [draft('prompt', event.system_prompt.text)];
  if (MessageEvent.is(event)) {
    const { llm_message, extended_content, source } = event;
    const text = textOf([...llm_message.content, ...extended_content]);
    return [draft(source === 'user' || source === 'agent' ? source : 'environment', text)];
  }
  if (ActionEvent.is(event)) {
    const thought = textOf(event.thought);
    const call = draft('call', event.tool_call.arguments, event.tool_name);
    return thought === '' ? [call] : [draft('agent', thought), call];
  }
  if (ObservationEvent.is(event)) {
    const text = textOf([...presentObservation(event.observation), ...event.extended_content]);
    return [draft('result', text, event.tool_name)];
  }
  if (AgentErrorEvent.is(event)) return [draft('error', event.error, event.tool_name)];
  if (ConversationErrorEvent.is(event)) return [draft('error', `${event.code}: ${event.detail}`)];
  if (UserRejectObservation.is(event)) return [draft('error', event.rejection_reason, event.tool_name)];
  return Condensation.is(event) && event.summary !== undefined ? [draft('summary', event.summary)] : undefined;
}

function draft(role: Draft['role'], text: string, tool = ''): Draft {
  return { role, text, tool };
}
