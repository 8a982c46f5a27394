import type { BaseEvent } from '@varve/events';
import { originFact } from '@varve/events/facts';
import { SystemPromptEvent } from '@varve/events/kinds';
import { readChat } from '../chat/read-chat.ts';
import { differencesOf } from '../common/differences.ts';
import { fieldsOf, parseForeignJson, stringOf, type Fields } from '../common/foreign-json.ts';
import { onlyStart, onlyText } from '../common/json-lines.ts';
import { LogBuilder } from '../common/log-builder.ts';
import type { ForeignLog, LogFormat, ReadOptions } from '../common/log-format.ts';
import { lastOrigin } from '../common/origins.ts';
import { InteropError } from '../error.ts';
import { toMcpbenchLogs } from './logs.ts';
import { costOf, keyStats, stopStatus } from './stats.ts';
const formatName = 'mcpbench';

/** Log of a task of mcpbench_dev: `log.json` with its messages, statistics and costs. */
export const logJsonFormat: LogFormat = {
  name: formatName,
  async matches(files) {
    const start = await onlyStart(files, ['.json']);
    const isLog = /^\s*\{/.test(start) && /"(?:key_stats|agent_cost|initial_run_time)"\s*:/.test(start);
    return isLog || (files.name === 'log.json' && /^\s*\{\s*"config"\s*:/.test(start));
  },
  async read(files, options) {
    const fields = fieldsOf(parseForeignJson(await onlyText(files), files.name));
    if (!fields || !Array.isArray(fields['messages'])) {
      throw new InteropError('invalid', `${files.name} contains no messages of a task.`);
    }
    return [fromLogJson(fields, options)];
  },
  write({ id, events }) {
    const { messages, dropped } = toMcpbenchLogs(events, { profile: 'toolathlon' });
    const logJson = toLogJson(events, id);
    const json = { ...logJson, ...lastOrigin(events, formatName), ...continuation(events, logJson), messages };
    return { files: [{ path: '', text: `${JSON.stringify(json, undefined, 2)}\n` }], dropped };
  },
};

/** Reads the messages of a `log.json`, and keeps its other fields in a fact. */
export function fromLogJson({ messages, ...rest }: Fields, options: ReadOptions): ForeignLog {
  const chat = readChat({ messages, ...toolsOf(rest) }, options);
  const log = new LogBuilder(options.newId, chat.entries);
  const value = { format: formatName, ...differencesOf({}, rest) };
  const isKept = log.add('', (stamp) => originFact.create(value, stamp));
  const problem = { place: 'the log', reason: 'Its other fields cannot be kept: they are nested too deeply.' };
  const id = stringOf(rest['session_id']);
  const problems = isKept ? chat.problems : [...chat.problems, problem];
  return { ...chat, ...(id !== undefined && { id }), entries: log.entries, problems };
}

/** Returns the fields of an import that later messages change; empty without some. Costs of the import are added. */
function continuation(events: readonly BaseEvent[], fields: Fields): Fields {
  const end = events.findLastIndex((event) => originFact.read(event)?.format === formatName);
  if (end === -1 || toMcpbenchLogs(events.slice(end + 1)).messages.length === 0) return {};
  const earlier = fieldsOf(lastOrigin(events, formatName)?.['agent_cost']) ?? {};
  const costs = Object.entries(costOf(events)).map(([key, value]) => {
    const before = earlier[key];
    return [key, value + (typeof before === 'number' ? before : 0)];
  });
  const { status, key_stats, completion_time } = fields;
  return { status, key_stats, completion_time, agent_cost: Object.fromEntries(costs), resumed: true };
}

/** Returns a `log.json` for the events of one branch. The user costs nothing, because a person is one. */
export function toLogJson(events: readonly BaseEvent[], id: string): Fields {
  const [first, last] = [events[0], events.at(-1)];
  const prompt = events.find((event) => SystemPromptEvent.is(event));
  const noCost = { total_cost: 0, total_input_tokens: 0, total_output_tokens: 0, total_requests: 0 };
  return {
    config: {},
    request_id: id,
    initial_run_time: secondsOf(first),
    completion_time: secondsOf(last),
    tool_calls: { tools: prompt && SystemPromptEvent.is(prompt) ? prompt.tools : [], tool_choice: 'auto' },
    status: stopStatus(events),
    messages: toMcpbenchLogs(events, { profile: 'toolathlon' }).messages,
    key_stats: keyStats(events),
    agent_cost: costOf(events),
    user_cost: noCost,
    resumed: false,
    session_id: id,
    history_file: `conversation_history/${id}_history.jsonl`,
  };
}

function toolsOf({ tool_calls: tools }: Fields): Fields {
  const list = fieldsOf(tools)?.['tools'];
  return Array.isArray(list) ? { tools: list } : {};
}

function secondsOf(event: BaseEvent | undefined): string {
  return event?.timestamp.slice(0, 19).replace('T', ' ') ?? '';
}
