import { timestampAfter } from '@varve/events';
import { stringOf, stringsOf, type Fields } from '../common/foreign-json.ts';

/** Class names for the kinds of the design page of the early V1, whose records have names in snake case. */
const classNames = new Map([
  ['system_prompt', 'SystemPromptEvent'],
  ['message', 'MessageEvent'],
  ['action', 'ActionEvent'],
  ['observation', 'ObservationEvent'],
  ['agent_error', 'AgentErrorEvent'],
  ['user_reject', 'UserRejectObservation'],
  ['condensation', 'Condensation'],
  ['pause', 'PauseEvent'],
]);

const messageSources = new Map([
  ['user_message', 'user'],
  ['UserMessageEvent', 'user'],
  ['agent_message', 'agent'],
  ['AgentMessageEvent', 'agent'],
]);

/**
 * Returns an event with the class name and the fields of the reference. Other events are returned as they are.
 *
 * @see the design page "ConversationState" of the reference's early V1
 */
export function withClassName(fields: Fields): Fields {
  const { kind, ...rest } = fields;
  const source = messageSources.get(stringOf(kind) ?? '');
  if (source !== undefined) return messageOf(rest, source);
  const name = classNames.get(stringOf(kind) ?? '');
  return name === undefined ? fields : { ...rest, kind: name };
}

function messageOf({ content, images, timestamp, ...rest }: Fields, source: string): Fields {
  const urls = stringsOf(images);
  const text = { cache_prompt: false, type: 'text', text: stringOf(content) ?? '' };
  const image = { cache_prompt: false, type: 'image', image_urls: urls };
  const message = { role: source === 'user' ? 'user' : 'assistant', content: urls.length > 0 ? [text, image] : [text] };
  return {
    ...rest,
    timestamp: timestampAfter(stringOf(timestamp) ?? '', ''),
    source,
    llm_message: message,
    kind: 'MessageEvent',
  };
}
