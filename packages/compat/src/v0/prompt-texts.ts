import { truncateMiddle } from '@varve/text';
import { fieldsOf, stringOf, type Fields, type V0Record } from '@varve/interop/records';

type TextOf = (content: string, extras: Fields, record: V0Record) => string | undefined;

const same: TextOf = (content) => content;

const texts: ReadonlyMap<string, TextOf> = new Map<string, TextOf>([
  ['run', runText],
  ['recall', (_content, extras) => recallText(extras)],
  ['error', (content) => `${content}\n[An error occurred while the action was executed.]`],
  ['user_rejected', (content) => `${content}\n[The user rejected the last action.]`],
  ['delegate', (content, { outputs }) => stringOf(fieldsOf(outputs)?.['content']) ?? content],
  ...['run_ipython', 'read', 'write', 'edit', 'browse', 'mcp', 'think', 'task_tracking', 'condense', 'download'].map(
    (name): [string, TextOf] => [name, same],
  ),
]);

/** Returns the text of an observation for the model; undefined for one that it does not see. */
export function observationText(record: V0Record, maxChars: number): string | undefined {
  const { observation, content, extras } = record;
  const render = typeof observation === 'string' ? texts.get(observation) : undefined;
  const text = render?.(stringOf(content) ?? '', fieldsOf(extras) ?? {}, record);
  if (text === undefined || observation === 'read') return text;
  return truncateMiddle(text, maxChars, ({ chars }) => `\n[${chars} characters are left out]\n`);
}

function runText(content: string, extras: Fields, { source, tool_call_metadata: metadata }: V0Record): string {
  const { prefix, suffix, working_dir, py_interpreter_path, exit_code } = fieldsOf(extras['metadata']) ?? {};
  const lines = [
    `${stringOf(prefix) ?? ''}${content}${stringOf(suffix) ?? ''}`,
    ...(stringOf(working_dir) ? [`[Current working directory: ${String(working_dir)}]`] : []),
    ...(stringOf(py_interpreter_path) ? [`[Python interpreter: ${String(py_interpreter_path)}]`] : []),
    ...(typeof exit_code === 'number' && exit_code !== -1 ? [`[Command finished with exit code ${exit_code}]`] : []),
  ].join('\n');
  if (source !== 'user' || metadata !== undefined) return lines;
  return `Result of the command that the user ran:\n${lines}`;
}

/** Returns what was recalled for a message; undefined if there is nothing. */
function recallText(extras: Fields): string | undefined {
  const knowledge = extras['microagent_knowledge'];
  const contents = Array.isArray(knowledge) ? knowledge.map((item: unknown) => fieldsOf(item)?.['content']) : [];
  const keys = ['repo_instructions', 'additional_agent_instructions', 'conversation_instructions'];
  const shownTexts = [...keys.map((key) => extras[key]), ...contents].filter(
    (text) => typeof text === 'string' && text !== '',
  );
  return shownTexts.length > 0 ? shownTexts.join('\n\n') : undefined;
}
