import { withoutHabits } from '../contract/habits.ts';

const habits = {
  names: {
    file_path: 'path',
    filePath: 'path',
    filename: 'path',
    old_string: 'old_str',
    oldString: 'old_str',
    new_string: 'new_str',
    newString: 'new_str',
    content: 'file_text',
  },
  ignored: ['description', 'explanation'],
};

/** Fields that only one command of the editor has. */
const commandByField = [
  ['old_str', 'str_replace'],
  ['insert_line', 'insert'],
  ['file_text', 'create'],
] as const;

/**
 * Returns the arguments of an editor call with the names of this editor, and with a missing `command` filled in, where
 * the other fields imply it.
 *
 * @see software-agent-sdk infer_file_editor_command
 */
export function inferCommand(input: Readonly<Record<string, unknown>>): Readonly<Record<string, unknown>> {
  const fields = withoutHabits(input, habits);
  if ('command' in fields || !('path' in fields)) return fields;
  const [command, ...others] = commandByField.filter(([field]) => field in fields).map(([, name]) => name);
  if (others.length > 0) return fields;
  if (command !== undefined) return { command, ...fields };
  return Object.keys(fields).length === 1 ? { command: 'view', ...fields } : fields;
}
