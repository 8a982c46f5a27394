// Reads the trajectory of another agent system, shows its events and its prompt, and writes it again as it was.
import { isDeepStrictEqual } from 'node:util';
import { promptOfRecords } from '@varve/compat';
import { eventCodec } from '@varve/events';
import { builtinKinds } from '@varve/events/kinds';
import { activeBranch, formats } from '@varve/interop';
import { readRecords, writeRecords } from '@varve/interop/records';

const call = { id: 'call_1', type: 'function', function: { name: 'execute_bash', arguments: '{"command":"ls"}' } };
const message = { role: 'assistant', content: 'I look first.', tool_calls: [call] };
const metadata = {
  function_name: 'execute_bash',
  tool_call_id: 'call_1',
  model_response: { id: 'resp_1', model: 'm', choices: [{ index: 0, finish_reason: 'tool_calls', message }] },
  total_calls_in_response: 1,
};
const trajectory = [
  { id: 0, timestamp: '2025-11-20T10:00:00', source: 'user', action: 'message', args: { content: 'List the files.' } },
  {
    id: 1,
    source: 'agent',
    action: 'run',
    tool_call_metadata: metadata,
    args: { command: 'ls', thought: 'I look first.' },
  },
  { id: 2, source: 'agent', cause: 1, observation: 'run', tool_call_metadata: metadata, content: 'a.txt', extras: {} },
  { id: 3, source: 'agent', action: 'invented' },
];

const { entries, problems } = readRecords(trajectory, { newId: () => crypto.randomUUID() });
const codec = eventCodec(builtinKinds);
for (const { text, kind } of entries) {
  if (kind !== 'ConversationStateUpdateEvent') console.log(kind, codec.decode(text).source);
}
console.log('problems:', problems.map(({ place, reason }) => `${place}: ${reason}`).join());

const { events } = await activeBranch(entries);
const { records } = writeRecords(events);
console.log('as it was:', isDeepStrictEqual(records, trajectory));
console.log(
  'prompt:',
  promptOfRecords(records)
    .map(({ role }) => role)
    .join(', '),
);
console.log('formats:', formats.map(({ name }) => name).join(', '));
