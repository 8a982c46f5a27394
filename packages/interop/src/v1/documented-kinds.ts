import { timestampAfter } from '@varve/events';
import { fieldsOf, stringOf, stringsOf, textOfJson, type Fields } from '../common/foreign-json.ts';

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
  return withDocumentedFields(name === undefined ? fields : { ...rest, kind: name });
}

/**
 * Returns an event with the fields of the reference in place of those of its design pages: a call in the form of the
 * chat protocol, a result without content, microagents that were activated, and a condensation without the id of its
 * reply.
 */
function withDocumentedFields(fields: Fields): Fields {
  const { kind, tool_call: call, activated_microagents: activated, ...rest } = fields;
  if (kind === 'Condensation' && !('llm_response_id' in fields)) return { ...fields, llm_response_id: '' };
  if (kind === 'MessageEvent' && activated !== undefined && !('activated_skills' in fields)) {
    return { ...rest, activated_skills: activated, kind };
  }
  if (kind === 'ObservationEvent') return withContent(fields);
  const { function: called, id } = fieldsOf(call) ?? {};
  const { name, arguments: written } = fieldsOf(called) ?? {};
  if (kind !== 'ActionEvent' || typeof name !== 'string') return fields;
  const flat = { id: stringOf(id) ?? '', name, arguments: textOfJson(written ?? {}), origin: 'completion' };
  return { ...rest, tool_call: flat, kind };
}

/** Fields of the results of the design pages that are the text for the model. */
const resultTexts = ['agent_observation', 'message', 'output', 'error', 'result', 'text'];

/** Returns an observation with content for the model: the texts of its result, else its fields as JSON. */
function withContent(fields: Fields): Fields {
  const observation = fieldsOf(fields['observation']);
  if (!observation || 'content' in observation) return fields;
  const { kind: _kind, ...result } = observation;
  const texts = resultTexts.flatMap((name) => stringOf(result[name]) ?? []);
  const written = texts.length > 0 ? texts.join('\n') : JSON.stringify(result);
  const content = [{ cache_prompt: false, type: 'text', text: written }];
  const { kind, ...event } = fields;
  return { ...event, observation: { content, is_error: result['success'] === false, ...observation }, kind };
}

function messageOf({ content, images, timestamp, ...rest }: Fields, source: string): Fields {
  const urls = stringsOf(images);
  const text = { cache_prompt: false, type: 'text', text: stringOf(content) ?? '' };
  const image = { cache_prompt: false, type: 'image', image_urls: urls };
  const message = { role: source === 'user' ? 'user' : 'assistant', content: urls.length > 0 ? [text, image] : [text] };
  return withDocumentedFields({
    ...rest,
    timestamp: timestampAfter(stringOf(timestamp) ?? '', ''),
    source,
    llm_message: message,
    kind: 'MessageEvent',
  });
}
