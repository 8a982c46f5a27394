import { readChat } from '../chat/read-chat.ts';
import { fieldsOf, listOf, parseForeignJson, stringOf, type Fields, firstKeys } from '../common/foreign-json.ts';
import { onlyStart, onlyText } from '../common/json-lines.ts';
import type { ForeignFiles, ForeignLog, LogFormat, ReadOptions } from '../common/log-format.ts';
import { InteropError } from '../error.ts';

/**
 * Trajectory of SWE-agent: a JSON file with the messages of its model in `history`, and its steps in `trajectory`.
 *
 * @see https://swe-agent.com/latest/usage/trajectories/
 */
export const sweAgentFormat: LogFormat = {
  name: 'swe-agent',
  async matches(files) {
    const keys = firstKeys(await onlyStart(files, ['.traj', '.json']));
    return keys.has('environment') && (keys.has('trajectory') || keys.has('history'));
  },
  read: (files, options) =>
    readTrajectory(files, options, ({ history, trajectory }) => [
      ...listOf(history).map(messageOf),
      ...(listOf(history).length === 0 ? listOf(trajectory).flatMap(messagesOfStep) : []),
    ]),
};

/**
 * Trajectory of mini-swe-agent: a JSON file with the messages of its model. Its commands are in the texts.
 *
 * @see https://mini-swe-agent.com/latest/usage/output_files/
 */
export const miniSweAgentFormat: LogFormat = {
  name: 'mini-swe-agent',
  async matches(files) {
    const keys = firstKeys(await onlyStart(files, ['.json']));
    return (
      keys.has('trajectory_format') || (keys.has('info') && (keys.has('messages') || files.name.endsWith('.traj.json')))
    );
  },
  read: (files, options) => readTrajectory(files, options, ({ messages }) => listOf(messages)),
};

async function readTrajectory(
  files: ForeignFiles,
  options: ReadOptions,
  messagesOf: (trajectory: Fields) => readonly unknown[],
): Promise<readonly ForeignLog[]> {
  const trajectory = fieldsOf(parseForeignJson(await onlyText(files), files.name)) ?? {};
  const { history: _history, trajectory: _steps, messages: _messages, ...rest } = trajectory;
  const log = readChat({ ...rest, messages: messagesOf(trajectory) }, options);
  if (log.entries.length === 0) throw new InteropError('invalid', `${files.name} contains no messages.`);
  return [log];
}

/** A message of SWE-agent is one of a chat; that of a result has the ids of its calls as a list. */
function messageOf(message: unknown): unknown {
  const fields = fieldsOf(message);
  const [id] = listOf(fields?.['tool_call_ids']);
  if (!fields || typeof id !== 'string' || fields['role'] !== 'tool') return message;
  const { tool_call_ids: _ids, ...rest } = fields;
  return { ...rest, tool_call_id: id };
}

function messagesOfStep(step: unknown): readonly object[] {
  const { response, thought, action, observation } = fieldsOf(step) ?? {};
  const written = stringOf(response) ?? [thought, action].filter((part) => typeof part === 'string').join('\n\n');
  return [
    { role: 'assistant', content: written },
    ...(typeof observation === 'string' ? [{ role: 'user', content: observation }] : []),
  ];
}
