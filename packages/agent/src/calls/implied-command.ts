/** The field that only one command of the editor has. @see software-agent-sdk infer_file_editor_command */
const commandByField = [
  ['old_str', 'str_replace'],
  ['insert_line', 'insert'],
  ['file_text', 'create'],
] as const;

/** A call of the file editor that leaves out its command, with the command that its other fields leave no choice of. */
export function withImpliedCommand(fields: Readonly<Record<string, unknown>>): Readonly<Record<string, unknown>> {
  if ('command' in fields || !('path' in fields)) return fields;
  const command = commandByField.find(([field]) => field in fields)?.[1];
  if (command !== undefined) return { command, ...fields };
  return Object.keys(fields).length === 1 ? { command: 'view', ...fields } : fields;
}
