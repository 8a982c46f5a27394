import type { ActionEvent } from '../kinds/action-event.ts';
import type { Payload } from '../define-payload.ts';

/** The field that says what an action is about, the first that is there. */
const subjects = [
  'command',
  'pattern',
  'patch',
  'message',
  'thought',
  'url',
  'name',
  'profile_name',
  'question',
  'prompt',
  'reason',
  'text',
  'tab_id',
  'index',
  'direction',
] as const;
const paths = ['path', 'file_path', 'dir_path'] as const;

/** What a call is about, as one short text that may have line breaks: a command, a path, else its arguments. */
export function actionSubject({ action, tool_call: call }: ActionEvent): string {
  if (!action) return call.arguments;
  const path = firstText(action, paths);
  const subject = firstText(action, subjects);
  if (subject !== undefined) return path === undefined ? subject : `${subject} ${path}`;
  return path ?? restOf(action, call.arguments);
}

function firstText(action: Payload, names: readonly string[]): string | undefined {
  for (const name of names) {
    const value = action[name];
    if (typeof value === 'number') return `${value}`;
    if (typeof value === 'string' && value.trim() !== '') return value;
  }
  return undefined;
}

function restOf({ kind: _kind, ...fields }: Payload, callArguments: string): string {
  const names = Object.keys(fields);
  const [only] = names;
  if (only === 'data' && names.length === 1) return JSON.stringify(fields[only]);
  return names.length === 0 ? callArguments : JSON.stringify(fields);
}
