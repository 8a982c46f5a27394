import { text, type Content } from '@varve/events';
import {
  ActionEvent,
  Condensation,
  CondensationRequest,
  MessageEvent,
  ObservationEvent,
  PauseEvent,
  SystemPromptEvent,
  type SecurityRisk,
} from '@varve/events/kinds';
import { MCPToolAction } from '@varve/events/payloads';
import { fieldsOf, integerOf, stringOf, stringsOf, type Fields } from '../common/foreign-json.ts';
import { argumentsOf, toolDefinition } from '../common/generic-tool.ts';
import { actionKind } from './action-kinds.ts';
import { finishObservation } from './observation-kinds.ts';
import { sourceOf, type EventDraft, type ReadingContext } from './reading-context.ts';
import { foreignCallOf, type V0Record } from './tool-calls.ts';

/** A record with its place in the log. */
export interface PlacedRecord {
  readonly record: V0Record;
  readonly index: number;
}

type Read = (placed: PlacedRecord, args: Fields, context: ReadingContext) => readonly EventDraft[];

const system: Read = (_placed, { content, tools }, { newId }) => [
  {
    id: newId(),
    make: (stamp) =>
      SystemPromptEvent.create({ system_prompt: text(stringOf(content) ?? ''), tools: toolsOf(tools) }, stamp),
  },
];

const message: Read = ({ record, index }, args, { newId, recalls }) => {
  const source = sourceOf(record);
  const role = source === 'agent' ? 'assistant' : 'user';
  const recall = source === 'user' ? recalls.get(index) : undefined;
  const extended = recall ? recallOf(recall) : {};
  return [
    {
      id: newId(),
      make: (stamp) =>
        MessageEvent.create({ source, llm_message: { role, content: messageContent(args) }, ...extended }, stamp),
    },
  ];
};

const condensation: Read = (_placed, args, context) => {
  const { forgotten_event_ids: ids, forgotten_events_start_id: first, forgotten_events_end_id: last } = args;
  const from = integerOf(first);
  const to = integerOf(last);
  const listed = Array.isArray(ids) ? ids.flatMap((recordId) => context.eventOf(recordId) ?? []) : [];
  const between = from !== undefined && to !== undefined ? context.forgetBetween(from, to) : [];
  const summary = stringOf(args['summary']);
  const offset = integerOf(args['summary_offset']);
  // V0 shows the newest summary only.
  const earlier = summary !== undefined && context.summaryId !== undefined ? [context.summaryId] : [];
  const forgotten_event_ids = [...(listed.length > 0 ? listed : between), ...earlier];
  const id = context.newId();
  if (summary !== undefined) context.summaryId = `${id}-summary`;
  const placed = offset !== undefined && offset >= 0 && { summary_offset: offset };
  const fields = { forgotten_event_ids, ...(summary !== undefined && { summary, ...placed }), llm_response_id: '' };
  return [{ id, make: (stamp) => Condensation.create({ source: 'agent', ...fields }, stamp) }];
};

const condensationRequest: Read = (_placed, _args, { newId }) => [
  { id: newId(), make: (stamp) => CondensationRequest.create({}, stamp) },
];

const reject: Read = (_placed, { thought }, { newId }) => {
  const content = [text(stringOf(thought) ?? '')];
  const fields = { source: 'agent', llm_message: { role: 'assistant', content } } as const;
  return [{ id: newId(), make: (stamp) => MessageEvent.create(fields, stamp) }];
};

/** A pause of the user; other changes of the state are requests, which observations answer. */
const changeState: Read = ({ record }, { agent_state: state }, { newId }) =>
  state === 'paused' && sourceOf(record) === 'user'
    ? [{ id: newId(), make: (stamp) => PauseEvent.create({}, stamp) }]
    : [];

const readers: ReadonlyMap<string, Read> = new Map([
  ['system', system],
  ['message', message],
  ['condensation', condensation],
  ['condensation_request', condensationRequest],
  ['reject', reject],
  ['change_agent_state', changeState],
  // Recalls are part of the message that they belong to; the others change nothing that a model reads.
  ...['recall', 'null', 'loop_recovery', 'start', 'pause', 'resume', 'stop', 'push', 'send_pr'].map(
    (action): [string, Read] => [action, () => []],
  ),
]);

/** Returns the events of an action; undefined if its kind is unknown. */
export function readAction(action: string, placed: PlacedRecord, context: ReadingContext) {
  const args = fieldsOf(placed.record['args']) ?? {};
  const read = readers.get(action) ?? (actionKind(action) && readCall);
  return read?.(placed, args, context);
}

const risks: readonly SecurityRisk[] = ['LOW', 'MEDIUM', 'HIGH'];

const readCall: Read = ({ record, index }, args, context) => {
  const name = String(record['action']);
  const kind = actionKind(name);
  const call = foreignCallOf(record) ?? callWithout(record, index, args);
  const written = argumentsOf(call.toolCall);
  const action =
    kind?.read({ ...args, ...(record['timeout'] !== undefined && { timeout: record['timeout'] }) }, written) ??
    MCPToolAction.create({ data: written });
  const ownThought = stringOf(args['thought']) ?? '';
  // The thought of `think` is its argument, and the answer of `finish` its message.
  const thought = call.content === undefined ? (name === 'think' ? '' : ownThought) : call.isFirst ? call.content : '';
  const id = context.newId();
  const { toolName: tool_name, toolCall: tool_call } = call;
  const named = { tool_name, tool_call_id: tool_call.id };
  context.addCall(record, { id, toolName: tool_name, toolCallId: tool_call.id, action, args });
  const security_risk = risks[integerOf(args['security_risk']) ?? -1] ?? 'UNKNOWN';
  const fields = { thought: thought === '' ? [] : [text(thought)], action, ...named, tool_call, security_risk };
  const drafts: EventDraft[] = [
    {
      id,
      make: (stamp) =>
        ActionEvent.create({ source: sourceOf(record), ...fields, llm_response_id: call.responseId }, stamp),
    },
  ];
  if (name !== 'finish') return drafts;
  const done = { ...named, action_id: id, observation: finishObservation() };
  return [...drafts, { id: context.newId(), make: (stamp) => ObservationEvent.create(done, stamp) }];
};

/** Returns a call for an action without metadata, which a person started or an old version recorded. */
function callWithout(record: V0Record, index: number, args: Fields) {
  const action = String(record['action']);
  const { thought: _thought, ...otherArgs } = args;
  const name = action === 'call_tool_mcp' ? (stringOf(args['name']) ?? action) : action;
  const written = action === 'call_tool_mcp' ? (args['arguments'] ?? {}) : otherArgs;
  const id = `v0-${integerOf(record['id']) ?? index}`;
  return {
    toolName: name,
    toolCall: { id, name, arguments: JSON.stringify(written), origin: 'completion' as const },
    responseId: id,
    content: undefined,
    isFirst: true,
  };
}

function messageContent({ content, image_urls, images_urls }: Fields): readonly Content[] {
  const urls = stringsOf(image_urls ?? images_urls);
  const images = urls.length > 0 ? [{ cache_prompt: false, type: 'image' as const, image_urls: [...urls] }] : [];
  return [text(stringOf(content) ?? ''), ...images];
}

/** Returns the fields of a message for what was recalled for it. */
function recallOf({ extras }: V0Record): object {
  const { microagent_knowledge: knowledge, ...context } = fieldsOf(extras) ?? {};
  const items = Array.isArray(knowledge)
    ? knowledge.flatMap((item: unknown): readonly Fields[] => [fieldsOf(item) ?? {}])
    : [];
  const texts = [
    ...['repo_instructions', 'additional_agent_instructions', 'conversation_instructions'].map((key) => context[key]),
    ...items.map((item) => item['content']),
  ].filter((part): part is string => typeof part === 'string' && part !== '');
  return {
    activated_skills: items.flatMap(({ name }) => stringOf(name) ?? []),
    extended_content: texts.map((part) => text(part)),
  };
}

/** Returns the tool definitions of a system action in the form of the reference. */
function toolsOf(tools: unknown): readonly { readonly kind: string }[] {
  if (!Array.isArray(tools)) return [];
  return tools.flatMap((tool: unknown) => {
    const { name, description = '', parameters = {} } = fieldsOf(fieldsOf(tool)?.['function']) ?? {};
    if (typeof name !== 'string') return [];
    return [toolDefinition({ name, description, parameters })];
  });
}
