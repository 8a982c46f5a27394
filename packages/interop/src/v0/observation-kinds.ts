import { textOf, type Content } from '@varve/events';
import {
  FileEditorAction,
  FileEditorObservation,
  FinishObservation,
  MCPToolObservation,
  TaskTrackerObservation,
  TerminalObservation,
  ThinkObservation,
  type Observation,
  type Payload,
} from '@varve/events/payloads';
import { fieldsOf, integerOf, stringOf, textOfJson, type Fields } from '../common/foreign-json.ts';
import { payload, taskOf, tasksWithIds } from './action-kinds.ts';

/** Call that a V0 observation answers. */
export interface AnsweredCall {
  readonly toolName: string;
  /** Payload of the action. */
  readonly action: Payload | undefined;
  /** Arguments of the V0 action. */
  readonly args: Fields;
}

/** Own fields of an observation in V0. */
export interface ObservationFields {
  readonly extras: Fields;
  readonly message: string;
  readonly success?: boolean;
}

/** V0 observation of a tool, and its payload in varve. */
export interface ObservationKind {
  /** Returns the payload; undefined if the fields do not fit. */
  read(content: readonly Content[], extras: Fields, call: AnsweredCall): Payload | undefined;
  /** Returns the fields in the order of the format, with their defaults. */
  write(result: Observation, call: AnsweredCall): ObservationFields;
}

const metadataFields = ['username', 'hostname', 'working_dir', 'py_interpreter_path', 'prefix', 'suffix'] as const;

/** Kinds by the name of their observation. */
const kinds: Readonly<Record<string, ObservationKind>> = {
  run: {
    read(content, extras) {
      const { command, exit_code: oldCode, command_id: oldPid } = extras;
      // Older logs have the exit code and the process next to the metadata.
      const result = { exit_code: oldCode, pid: oldPid, ...fieldsOf(extras['metadata']) } as Fields;
      const texts = metadataFields.filter((key) => typeof result[key] === 'string').map((key) => [key, result[key]]);
      const exit = integerOf(result['exit_code']) ?? -1;
      const metadata = {
        exit_code: exit,
        pid: integerOf(result['pid']) ?? -1,
        ...(Object.fromEntries(texts) as Fields),
      };
      return payload(TerminalObservation, {
        content,
        ...(typeof command === 'string' && { command }),
        exit_code: exit,
        metadata,
      });
    },
    write({ command, exit_code, metadata }, { args }) {
      const { exit_code: code = exit_code ?? -1, pid = -1, ...texts } = fieldsOf(metadata) ?? {};
      const { username = null, hostname = null, working_dir = null, py_interpreter_path = null } = texts;
      const { prefix = '', suffix = '' } = texts;
      const commandText = command ?? args['command'] ?? '';
      return {
        message: `Command \`${asText(commandText)}\` executed with exit code ${textOfJson(code)}.`,
        extras: {
          command: commandText,
          metadata: { exit_code: code, pid, username, hostname, working_dir, py_interpreter_path, prefix, suffix },
          hidden: false,
        },
        success: code === 0,
      };
    },
  },
  run_ipython: {
    read: generic,
    write: (_result, { args }) => ({
      message: 'Code executed in IPython cell.',
      extras: { code: args['code'] ?? '', image_urls: null },
      success: true,
    }),
  },
  read: {
    read: editorPayload,
    write: ({ path }, { args }) => ({
      message: `I read the file ${textOfJson(path ?? args['path'])}.`,
      extras: { path: path ?? args['path'] ?? '', impl_source: args['impl_source'] ?? 'default' },
    }),
  },
  write: {
    read: editorPayload,
    write: ({ path }, { args }) => ({
      message: `I wrote to the file ${textOfJson(path ?? args['path'])}.`,
      extras: { path: path ?? args['path'] ?? '' },
    }),
  },
  edit: {
    read: editorPayload,
    write: ({ path, prev_exist = true, old_content = null, new_content = null }, { args }) => ({
      message: `I edited the file ${textOfJson(path ?? args['path'])}.`,
      extras: {
        path: path ?? args['path'] ?? '',
        prev_exist,
        old_content,
        new_content,
        impl_source: args['impl_source'] ?? 'oh_aci',
        diff: null,
      },
    }),
  },
  browse: {
    read: (content, extras, { toolName }) =>
      payload(MCPToolObservation, { content, is_error: extras['error'] === true, tool_name: toolName }),
    write: ({ is_error }, { args }) => ({
      message: `Visited ${asText(args['url'])}`,
      extras: {
        url: args['url'] ?? '',
        trigger_by_action: args['url'] === undefined ? 'browse_interactive' : 'browse',
        screenshot: '',
        screenshot_path: null,
        set_of_marks: '',
        error: is_error,
        goal_image_urls: [],
        open_pages_urls: [],
        active_page_index: -1,
        dom_object: {},
        axtree_object: {},
        extra_element_properties: {},
        last_browser_action: '',
        last_browser_action_error: '',
        focused_element_bid: '',
        filter_visible_only: false,
      },
    }),
  },
  mcp: {
    read: generic,
    write: ({ content }, { toolName, args }) => ({
      message: textOf(content),
      extras: { name: toolName, arguments: args['arguments'] ?? {} },
    }),
  },
  delegate: {
    read: generic,
    write: () => ({ message: '', extras: { outputs: {} } }),
  },
  think: {
    read: (content) => payload(ThinkObservation, { content }),
    write: ({ content }) => ({ message: textOf(content), extras: {} }),
  },
  task_tracking: {
    read: (content, { command, task_list: tasks }) =>
      payload(TaskTrackerObservation, {
        content,
        command,
        ...(Array.isArray(tasks) && { task_list: tasks.map(taskOf) }),
      }),
    write: ({ content, command, task_list }) => ({
      message: textOf(content),
      extras: { command: command ?? 'view', task_list: tasksWithIds(task_list) },
    }),
  },
};

/** Returns the kind of a V0 observation of a tool; undefined for others. */
export function observationKind(observation: string): ObservationKind | undefined {
  return Object.hasOwn(kinds, observation) ? kinds[observation] : undefined;
}

/** Returns the result of a call; any fields that do not fit become a result with the same content. */
export function readObservation(
  observation: string,
  content: readonly Content[],
  extras: Fields,
  call: AnsweredCall,
): Observation {
  const decoded = observationKind(observation)?.read(content, extras, call) ?? generic(content, extras, call);
  return decoded as Observation;
}

/** Returns the acknowledgement of a finish call, which V0 does not record. */
export function finishObservation(): Observation {
  return FinishObservation.create({});
}

function asText(value: unknown): string {
  return typeof value === 'string' ? value : '';
}

function generic(content: readonly Content[], _extras: Fields, { toolName }: AnsweredCall): Payload | undefined {
  return payload(MCPToolObservation, { content, tool_name: toolName });
}

function editorPayload(content: readonly Content[], extras: Fields, { action }: AnsweredCall): Payload | undefined {
  if (!FileEditorAction.is(action)) return undefined;
  const { path, prev_exist, old_content, new_content } = extras;
  return payload(FileEditorObservation, {
    content,
    command: action.command,
    ...(stringOf(path) !== undefined && { path }),
    ...(typeof prev_exist === 'boolean' && { prev_exist }),
    ...(stringOf(old_content) !== undefined && { old_content }),
    ...(stringOf(new_content) !== undefined && { new_content }),
  });
}
