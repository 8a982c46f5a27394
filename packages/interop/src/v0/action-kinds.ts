import { EventError } from '@varve/events';
import {
  FileEditorAction,
  FinishAction,
  MCPToolAction,
  TaskTrackerAction,
  TerminalAction,
  ThinkAction,
  type Payload,
} from '@varve/events/payloads';
import { fieldsOf, stringOf, textOfJson, type Fields } from '../common/foreign-json.ts';
import { pythonText } from './python-text.ts';

/** Fields of an action that every kind has. */
export interface CommonArguments {
  readonly thought: string;
  /** -1 unknown, 0 low, 1 medium, 2 high. */
  readonly security_risk: number;
}

/** V0 action that is a tool call, and its payload in varve. */
export interface ActionKind {
  /** Observation that answers it; absent for one that nothing answers. */
  readonly observation?: string;
  /** Returns the payload; undefined if the arguments do not fit. `call` are the arguments that the model wrote. */
  read(args: Fields, call: Fields): Payload | undefined;
  /** Returns the arguments in the order of the format, with their defaults. */
  write(payload: Payload, common: CommonArguments): Fields;
  /** Returns the text that the user interface of V0 shows. */
  describe(args: Fields): string;
}

const confirmed = { confirmation_state: 'confirmed' };

const editFields = ['command', 'path', 'file_text', 'old_str', 'new_str', 'insert_line'] as const;

/** Kinds by the name of their action. */
const kinds = {
  run: {
    observation: 'run',
    read: ({ command, is_input = false, timeout }) =>
      payload(TerminalAction, { command, is_input, ...(typeof timeout === 'number' && { timeout }) }),
    write: ({ command, is_input = false }, { thought, security_risk }) => ({
      command,
      is_input,
      thought,
      blocking: false,
      is_static: false,
      cwd: null,
      hidden: false,
      ...confirmed,
      security_risk,
    }),
    describe: ({ command }) => `Running command: ${textOfJson(command)}`,
  },
  run_ipython: {
    observation: 'run_ipython',
    read: ({ code }) => payload(MCPToolAction, { data: { code } }),
    write: (call, { thought, security_risk }) => ({
      code: dataOf(call)['code'] ?? '',
      thought,
      include_extra: true,
      ...confirmed,
      security_risk,
      kernel_init_code: '',
    }),
    describe: ({ code }) => `Running Python code interactively: ${textOfJson(code)}`,
  },
  read: {
    observation: 'read',
    read: ({ path, view_range }) =>
      payload(FileEditorAction, { command: 'view', path, ...(Array.isArray(view_range) && { view_range }) }),
    write: ({ path, view_range = null }, { thought, security_risk }) => ({
      path,
      start: 0,
      end: -1,
      thought,
      impl_source: 'oh_aci',
      view_range,
      security_risk,
    }),
    describe: ({ path }) => `Reading file: ${textOfJson(path)}`,
  },
  write: {
    observation: 'write',
    read: ({ path, content }) => payload(FileEditorAction, { command: 'create', path, file_text: content }),
    write: ({ path, file_text = '' }, { thought, security_risk }) => ({
      path,
      content: file_text,
      start: 0,
      end: -1,
      thought,
      security_risk,
    }),
    describe: ({ path }) => `Writing file: ${textOfJson(path)}`,
  },
  edit: {
    observation: 'edit',
    read(args, call) {
      // Older logs have the command only in the call of the model.
      const from = stringOf(args['command']) ? args : { path: args['path'], ...call };
      const fields = editFields.flatMap((key) =>
        from[key] === null || from[key] === undefined ? [] : [[key, from[key]]],
      );
      return payload(FileEditorAction, Object.fromEntries(fields) as Fields);
    },
    write: ({ path, command, ...fields }, { thought, security_risk }) => ({
      path,
      command,
      file_text: fields['file_text'] ?? null,
      old_str: fields['old_str'] ?? null,
      new_str: fields['new_str'] ?? null,
      insert_line: fields['insert_line'] ?? null,
      content: '',
      start: 1,
      end: -1,
      thought,
      impl_source: 'oh_aci',
      security_risk,
    }),
    describe: () => '',
  },
  browse: {
    observation: 'browse',
    read: ({ url }) => payload(MCPToolAction, { data: { url } }),
    write: (call, { thought, security_risk }) => ({
      url: dataOf(call)['url'] ?? '',
      thought,
      return_axtree: false,
      security_risk,
    }),
    describe: ({ url }) => `I am browsing the URL: ${textOfJson(url)}`,
  },
  browse_interactive: {
    observation: 'browse',
    read: ({ browser_actions }) => payload(MCPToolAction, { data: { code: browser_actions } }),
    write: (call, { thought, security_risk }) => ({
      browser_actions: dataOf(call)['code'] ?? '',
      thought,
      browsergym_send_msg_to_user: '',
      security_risk,
      return_axtree: false,
    }),
    describe: ({ browser_actions }) =>
      `I am interacting with the browser:\n\`\`\`\n${textOfJson(browser_actions)}\n\`\`\``,
  },
  delegate: {
    observation: 'delegate',
    read: ({ agent, inputs }) => payload(MCPToolAction, { data: { agent, inputs } }),
    write: (call, { thought }) => ({
      agent: dataOf(call)['agent'] ?? '',
      inputs: dataOf(call)['inputs'] ?? {},
      thought,
    }),
    describe: ({ agent }) => `I'm asking ${textOfJson(agent)} for help with this task.`,
  },
  call_tool_mcp: {
    observation: 'mcp',
    read: ({ arguments: data }) => payload(MCPToolAction, { data: fieldsOf(data) }),
    write: (call, { thought, security_risk }) => ({ name: '', arguments: dataOf(call), thought, security_risk }),
    describe: ({ name, arguments: data }) =>
      `I am interacting with the MCP server with name:\n\`\`\`\n${textOfJson(name)}\n\`\`\`\n` +
      `and arguments:\n\`\`\`\n${pythonText(data)}\n\`\`\``,
  },
  think: {
    observation: 'think',
    read: ({ thought }, call) => payload(ThinkAction, { thought: stringOf(call['thought']) ?? thought }),
    write: (call, { thought }) => ({ thought: joined([thought, stringOf(call['thought']) ?? '']) }),
    describe: ({ thought }) => `I am thinking...: ${textOfJson(thought)}`,
  },
  finish: {
    read: ({ final_thought, thought }, call) =>
      payload(FinishAction, { message: stringOf(final_thought) || (stringOf(call['message']) ?? thought ?? '') }),
    write: ({ message }, { thought }) => ({ final_thought: message, outputs: {}, thought }),
    describe: ({ thought }) => stringOf(thought) || "All done! What's next on the agenda?",
  },
  task_tracking: {
    observation: 'task_tracking',
    read: ({ command, task_list }) =>
      payload(TaskTrackerAction, { command, ...(Array.isArray(task_list) && { task_list: task_list.map(taskOf) }) }),
    write: ({ command, task_list }, { thought }) => ({ command, task_list: tasksWithIds(task_list), thought }),
    describe: ({ task_list: tasks }) => {
      const count = Array.isArray(tasks) ? tasks.length : 0;
      if (count === 0) return 'Clearing the task list.';
      return `Managing ${count} task ${count === 1 ? 'item' : 'items'}.`;
    },
  },
} as const satisfies Readonly<Record<string, ActionKind>>;

/** Tools of V0 without a payload kind, and payload kinds, with the names of the actions of their calls. */
const actionNames: ReadonlyMap<string, keyof typeof kinds> = new Map(
  Object.entries<keyof typeof kinds>({
    execute_ipython_cell: 'run_ipython',
    run_ipython: 'run_ipython',
    browse: 'browse',
    browser: 'browse_interactive',
    browse_interactive: 'browse_interactive',
    delegate_to_browsing_agent: 'delegate',
    delegate: 'delegate',
    [TerminalAction.kind]: 'run',
    [ThinkAction.kind]: 'think',
    [FinishAction.kind]: 'finish',
    [TaskTrackerAction.kind]: 'task_tracking',
  }),
);

/** Returns the kind of a V0 action; undefined for actions that are not tool calls. */
export function actionKind(action: string): ActionKind | undefined {
  return Object.hasOwn(kinds, action) ? kinds[action as keyof typeof kinds] : undefined;
}

/** Returns the V0 action for a payload by its name; any tool without one is a call of an MCP tool. */
export function actionFor(tool: string, action: Payload | undefined): readonly [name: string, kind: ActionKind] {
  const name = FileEditorAction.is(action)
    ? editorAction(tool, action.command)
    : (actionNames.get(action?.kind ?? '') ?? actionNames.get(tool) ?? 'call_tool_mcp');
  return [name, kinds[name]];
}

function editorAction(tool: string, command: string): keyof typeof kinds {
  if (tool === 'write') return 'write';
  return command === 'view' ? 'read' : 'edit';
}

/** Returns a task list in the form of V0, whose items have ids. */
export function tasksWithIds(tasks: unknown): readonly Fields[] {
  if (!Array.isArray(tasks)) return [];
  return tasks.map((task: unknown, index) => {
    const { title = '', status = 'todo', notes = '' } = fieldsOf(task) ?? {};
    return { id: String(index + 1), title, status, notes };
  });
}

/** Returns the fields of a task of V0 that varve has. */
export function taskOf(task: unknown): Fields {
  const { title = '', status = 'todo', notes } = fieldsOf(task) ?? {};
  return { title, ...(typeof notes === 'string' && { notes }), status };
}

function joined(texts: readonly string[]): string {
  return texts.filter((text) => text !== '').join('\n');
}

function dataOf(call: Payload): Fields {
  const { kind: _kind, ...fields } = call;
  return MCPToolAction.is(call) ? (fieldsOf(call.data) ?? {}) : fields;
}

/** Returns a payload, or undefined if the fields do not fit its kind. */
export function payload(definition: { create(fields: never): object }, fields: Fields): Payload | undefined {
  try {
    return definition.create(fields as never) as Payload;
  } catch (error) {
    if (error instanceof EventError) return undefined;
    throw error;
  }
}
