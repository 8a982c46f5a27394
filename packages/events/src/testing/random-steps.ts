import type { LogWriter } from './log-writer.ts';
import { edgeCaseJson } from './edge-cases.ts';

type Step = (log: LogWriter) => void;

const block = (text: string): object => ({ cache_prompt: false, type: 'text', text });
const argumentTexts = ['{}', '{"command": "ls"}', '', 'not json', '[1]', '{"a":', 'null'];

const userMessage: Step = (log) => {
  const images = log.choose.once(5) ? [{ cache_prompt: false, type: 'image', image_urls: ['data:,x'] }] : [];
  const content = log.choose.once(6) ? log.text() : [block(log.text()), ...images];
  log.write('MessageEvent', { llm_message: { role: 'user', content } }, log.choose.once(5) ? 'environment' : 'user');
};

const agentMessage: Step = (log) => {
  const role = log.choose.once(5) ? log.choose.oneOf(['system', 'tool', 'user', 'developer']) : 'assistant';
  const tool_calls = [{ id: 'c', name: 'x', arguments: '{}', origin: 'completion' }];
  const extra = log.choose.once(4) ? { tool_calls, tool_call_id: 'c', name: 'x' } : {};
  log.write('MessageEvent', { llm_message: { role, content: [block(log.text())], ...extra } }, 'agent');
};

const systemPrompt: Step = (log) =>
  void log.write('SystemPromptEvent', { system_prompt: block(log.text()), tools: [] }, 'agent');

const paths = ['/a', '/b', '__proto__', 7];
const editorCommand = (log: LogWriter): string | undefined => log.choose.oneOf(['create', 'view', 'str_replace']);

/** Action of a call, not always valid for its kind. */
function actionOf(log: LogWriter): object {
  const { choose } = log;
  switch (choose.below(5)) {
    case 1:
      return { command: editorCommand(log), path: choose.oneOf(paths), kind: 'FileEditorAction' };
    case 2:
      return { command: 'plan', task_list: choose.oneOf(edgeCaseJson), kind: 'TaskTrackerAction' };
    case 3:
      return { message: log.text(), kind: choose.oneOf(['FinishAction', 'Foreign']) };
    default:
      return { command: log.text(), kind: 'TerminalAction' };
  }
}

const edgeCaseNames = ['', 'functions.terminal:0', 'x'.repeat(100), 'read file', 'é'];

/** Writes a reply of up to four calls. */
const reply: Step = (log) => {
  const { choose } = log;
  const llm_response_id = choose.once(4) ? ['', 'same'][choose.below(2)] : `r${log.entries.length}`;
  const thinking_blocks = choose.once(4) ? [{ type: 'thinking', thinking: 't', signature: 's' }] : [];
  for (let left = 1 + choose.below(4); left > 0; left--) {
    const tool_call_id = choose.once(3)
      ? (['', 'call_1', 'call_1_2'][choose.below(3)] ?? '')
      : `c${log.entries.length}`;
    const text = choose.oneOf(argumentTexts) ?? '{}';
    const id = choose.once(9) ? 'other' : tool_call_id;
    const name = choose.once(7) ? choose.oneOf(edgeCaseNames) : 'terminal';
    const tool_call = { id, name, arguments: text, origin: 'completion' };
    const action = choose.once(5) ? undefined : actionOf(log);
    const risk = choose.once(5) ? { security_risk: choose.oneOf(['LOW', 'HIGH', 'EXTREME']) } : {};
    const thought = choose.once(3) ? [block(log.text())] : [];
    log.write(
      'ActionEvent',
      { thought, thinking_blocks, action, tool_name: 'terminal', tool_call_id, tool_call, llm_response_id, ...risk },
      'agent',
    );
    log.addCall(tool_call_id);
    if (choose.once(6))
      log.write('AgentErrorEvent', { tool_name: 'terminal', tool_call_id, error: log.text() }, 'agent');
  }
};

const observationKinds = [
  'TerminalObservation',
  'FileEditorObservation',
  'MCPToolObservation',
  'TaskTrackerObservation',
  'InvokeSkillObservation',
  'BrowserObservation',
  'TaskObservation',
  'ConsultTomObservation',
  'SleeptimeComputeObservation',
  'Foreign',
];
const anyValue = (log: LogWriter): unknown => (log.choose.once(3) ? log.choose.oneOf(edgeCaseJson) : log.text());

/** Writes a result of a recent call, of any call, or of no call. */
const result: Step = (log) => {
  const { choose } = log;
  const call = choose.once(5) ? choose.oneOf(log.calls) : log.calls.at(-1 - choose.below(4));
  const named = call && !choose.once(12) ? call : { action_id: 'e0000000-9999', tool_call_id: 'call_1' };
  const variant = choose.below(5);
  if (variant === 3)
    log.write('UserRejectObservation', { tool_name: 'terminal', ...named, rejection_reason: log.text() });
  else if (variant === 4) {
    const { tool_call_id } = named;
    log.write('AgentErrorEvent', { tool_name: 'terminal', tool_call_id, error: log.text() }, 'agent');
  } else {
    const kind = choose.oneOf(observationKinds);
    const content = choose.once(6) ? [] : [block(log.text())];
    const edit = kind === 'FileEditorObservation' ? { command: editorCommand(log), path: choose.oneOf(paths) } : {};
    const more = { metadata: choose.oneOf(edgeCaseJson), task_list: [{ title: log.text() }] };
    const fields = {
      skill_name: anyValue(log),
      screenshot_data: anyValue(log),
      suggestions: anyValue(log),
      confidence: anyValue(log),
    };
    const observation = { content, is_error: choose.once(4), ...more, ...edit, ...fields, kind };
    log.write('ObservationEvent', { tool_name: 'terminal', ...named, observation });
  }
};

const condensation: Step = (log) => {
  const { choose } = log;
  const ids = [...log.ids, ...log.ids.map((id) => `${id}-summary`)];
  const from = choose.below(ids.length + 1);
  const forgotten_event_ids = ids.slice(from, from + choose.below(12)).filter(() => !choose.once(4));
  const summary = choose.once(5) ? {} : { summary: log.text() };
  const offset = choose.once(5) ? {} : { summary_offset: choose.below(9) };
  log.write('Condensation', { forgotten_event_ids, ...summary, ...offset, llm_response_id: 'r' });
};

const update = (log: LogWriter, key: string, value: unknown): void =>
  void log.write('ConversationStateUpdateEvent', { key, value });

const leafMove: Step = (log) => update(log, 'leaf_event_id', log.choose.oneOf([...log.ids, '', 'unknown', null]));

const fact: Step = (log) => {
  const { choose } = log;
  const action_id = log.calls.at(-1 - choose.below(3))?.action_id ?? 'e0000000-8888';
  const key = choose.oneOf(['varve.mask', 'varve.effect', 'varve.approval', 'varve.call', 'varve.files']) ?? '';
  const digests = { messages: 'a', tools: 'b', parameters: 'c' };
  const call = { response_id: 'r', actions: [`e0000000-${(log.entries.length + 1).toString(16).padStart(4, '0')}`] };
  const usage_id = choose.oneOf(['agent', '__proto__', 'constructor']);
  const values: Readonly<Record<string, unknown>> = {
    'varve.mask': { event_ids: log.ids.slice(-6), text: log.text() },
    'varve.effect': { action_id, idempotency_key: 'k', at: 1 },
    'varve.files': { action_id, changes: [{ path: log.text(), before: null, after: 'h', content: log.text() }] },
    'varve.approval': { action_id, digest: 'd', by: 'me', at: 1 },
    'varve.call': { ...call, usage_id, model: 'm', finish: 'stop', latency_ms: 1, digests, projections: {}, at: 1 },
  };
  update(log, key, choose.once(6) ? choose.oneOf(edgeCaseJson) : values[key]);
};

/** Value of a field of the state, sometimes of the wrong type. */
function fieldValue(log: LogWriter, key: string): unknown {
  const { choose } = log;
  if (choose.once(4)) return choose.oneOf(edgeCaseJson);
  if (key === 'execution_status') return choose.oneOf(['running', 'finished', 'waiting_for_confirmation', 'stuck']);
  if (key === 'blocked_messages') return { [choose.oneOf(log.ids) ?? 'x']: log.text() };
  return key === 'invoked_skills' ? [log.text(), 'pdf', 'pdf'] : choose.oneOf(edgeCaseJson);
}

const stateKeys = ['execution_status', 'title', 'stats', '__proto__', 'blocked_messages', 'invoked_skills'];

const stateUpdate: Step = (log) => {
  const key = log.choose.oneOf(stateKeys) ?? '';
  const value = fieldValue(log, key);
  if (log.choose.once(4)) update(log, 'full_state', { [key]: value, title: 'T' });
  else update(log, key, value);
};

const internal: Step = (log) => {
  const kind =
    log.choose.oneOf(['CondensationRequest', 'PauseEvent', 'InterruptEvent', 'ConversationErrorEvent']) ?? '';
  log.write(kind, kind === 'ConversationErrorEvent' ? { code: 'X', detail: log.text() } : {});
};

const brokenTexts = ['', '{', 'null', '[]', '{"kind":"MessageEvent"}', '\u0000', '{"id":"e","kind":7}'];

/** Writes events that cannot be typed: unknown kinds, invalid fields, text that is not an event. */
const opaque: Step = (log) => {
  const variant = log.choose.below(4);
  if (variant === 0) log.write('InventedEvent', { anything: log.choose.oneOf(edgeCaseJson) }, 'hook');
  else if (variant === 1) log.write('ActionEvent', { thought: 7 }, 'agent');
  else if (variant === 2) log.write('ConversationStateUpdateEvent', { value: 1 });
  else log.writeText(log.choose.oneOf(brokenTexts) ?? '');
};

/** A hook that ran, and blocked what it was about or some other event. */
const hook: Step = (log) => {
  const { choose } = log;
  const about = choose.oneOf(['action_id', 'message_id', 'tool_name']) ?? '';
  const subject = choose.once(4) ? (choose.oneOf(log.ids) ?? '__proto__') : (log.ids.at(-1) ?? '');
  const why = choose.once(3) ? {} : { reason: log.text() };
  const fields = { hook_event_type: 'PreToolUse', hook_command: 'h', success: true, blocked: !choose.once(3) };
  log.write('HookExecutionEvent', { ...fields, exit_code: 0, [about]: subject, ...why }, 'hook');
};

/** Writes an event for clients or training that is not part of the conversation. */
const sideEvent: Step = (log) => {
  const { choose } = log;
  const kinds: readonly (readonly [string, object])[] = [
    ['ACPToolCallEvent', { tool_call_id: 'c', title: log.text(), raw_input: choose.oneOf(edgeCaseJson) }],
    ['LLMCompletionLogEvent', { filename: 'f.json', log_data: log.text() }],
    ['StreamingDeltaEvent', { content: log.text() }],
    ['TokenEvent', { prompt_token_ids: [1], response_token_ids: [] }],
    ['ServerErrorEvent', { code: 'X', detail: log.text() }],
  ];
  const [kind, fields] = choose.oneOf(kinds) ?? ['', {}];
  log.write(kind, { ...fields });
};

/** All steps of random logs, with their weights. */
const weights: readonly (readonly [Step, number])[] = [
  [userMessage, 5],
  [agentMessage, 2],
  [reply, 7],
  [result, 12],
  [condensation, 2],
  [leafMove, 1],
  [fact, 3],
  [stateUpdate, 1],
  [internal, 1],
  [opaque, 1],
  [hook, 1],
  [sideEvent, 1],
  [systemPrompt, 1],
];

/** Steps of random logs, each repeated by its weight. */
export const randomSteps: readonly Step[] = weights.flatMap(([move, weight]) =>
  Array.from({ length: weight }, () => move),
);
