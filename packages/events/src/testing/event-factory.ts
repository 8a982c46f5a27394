import { text } from '../content.ts';
import type { BaseEvent, Stamp } from '../define-event.ts';
import { ActionEvent } from '../kinds/action-event.ts';
import { AgentErrorEvent } from '../kinds/agent-error-event.ts';
import { Condensation } from '../kinds/condensation.ts';
import { MessageEvent } from '../kinds/message-event.ts';
import { ObservationEvent } from '../kinds/observation-event.ts';
import { SystemPromptEvent } from '../kinds/system-prompt-event.ts';
import { UserRejectObservation } from '../kinds/user-reject-observation.ts';
import { TerminalAction, MCPToolObservation } from '../payloads/index.ts';

type Fields = Parameters<typeof ActionEvent.create>[0];

/** Fields of a call other than its ids. */
export interface CallOptions extends Partial<Omit<Fields, 'tool_call'>> {
  /** JSON text of the arguments. */
  readonly arguments?: string;
}

/** Creates the events of a small conversation, each with a new id and the next timestamp. */
export interface EventFactory {
  readonly stamp: (parentId?: string) => Stamp;
  readonly prompt: (content?: string) => SystemPromptEvent;
  readonly user: (content: string) => MessageEvent;
  readonly agent: (content: string) => MessageEvent;
  /** Message of the framework in the role of a user. */
  readonly framework: (content: string) => MessageEvent;
  readonly call: (toolCallId: string, responseId?: string, options?: CallOptions) => ActionEvent;
  /** Result of the n-th call of this factory. */
  readonly result: (call: number, content?: string) => ObservationEvent;
  readonly reject: (call: number) => UserRejectObservation;
  readonly error: (toolCallId: string) => AgentErrorEvent;
  readonly condensation: (
    forget: readonly BaseEvent[],
    summary?: { readonly text: string; readonly offset: number },
  ) => Condensation;
}

/** Creates an {@link EventFactory}. Ids and timestamps count up from 0. */
export function eventFactory(): EventFactory {
  let made = 0;
  const calls: ActionEvent[] = [];
  const stamp = (parentId?: string): Stamp => {
    const number = String(made++);
    return {
      id: `00000000-${number.padStart(4, '0')}`,
      timestamp: `2026-01-01T12:00:00.${number.padStart(6, '0')}`,
      ...(parentId !== undefined && { parent_id: parentId }),
    };
  };
  const message = (source: 'user' | 'agent' | 'environment', content: string): MessageEvent =>
    MessageEvent.create(
      { source, llm_message: { role: source === 'agent' ? 'assistant' : 'user', content: [text(content)] } },
      stamp(),
    );
  const named = (
    call: number,
  ): { readonly tool_name: string; readonly tool_call_id: string; readonly action_id: string } => {
    const { id = '', tool_call_id = '' } = calls[call] ?? {};
    return { tool_name: 'terminal', tool_call_id, action_id: id };
  };
  return {
    stamp,
    prompt: (content = 'You help.') => SystemPromptEvent.create({ system_prompt: text(content), tools: [] }, stamp()),
    user: (content) => message('user', content),
    agent: (content) => message('agent', content),
    framework: (content) => message('environment', content),
    call(toolCallId, responseId = 'r', { arguments: json = '{}', ...fields } = {}) {
      const tool_call = { id: toolCallId, name: 'terminal', arguments: json, origin: 'completion' as const };
      const action = TerminalAction.create({ command: 'ls' });
      const defaults = {
        thought: [],
        action,
        tool_name: 'terminal',
        tool_call_id: toolCallId,
        llm_response_id: responseId,
      };
      const event = ActionEvent.create({ ...defaults, ...fields, tool_call }, stamp());
      calls.push(event);
      return event;
    },
    result: (call, content = 'out') =>
      ObservationEvent.create(
        { ...named(call), observation: MCPToolObservation.create({ content: [text(content)], tool_name: 'terminal' }) },
        stamp(),
      ),
    reject: (call) => UserRejectObservation.create(named(call), stamp()),
    error: (tool_call_id) => AgentErrorEvent.create({ tool_name: 'terminal', tool_call_id, error: 'No.' }, stamp()),
    condensation: (forget, summary) =>
      Condensation.create(
        {
          forgotten_event_ids: forget.map(({ id }) => id),
          ...(summary && { summary: summary.text, summary_offset: summary.offset }),
          llm_response_id: '',
        },
        stamp(),
      ),
  };
}
