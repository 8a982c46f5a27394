import {
  approvalFact,
  callFact,
  changedCallFact,
  childFact,
  controlFact,
  effectFact,
  filesFact,
  forkEndFact,
  forkFact,
  importFact,
  maskFact,
  parametersFact,
  partialReplyFact,
  reviewFact,
  rewindFact,
  runFact,
  settingsFact,
  taskFact,
  toolsetFact,
} from '../src/facts/index.ts';
import { text, type BaseEvent } from '../src/index.ts';
import {
  ActionEvent,
  AgentErrorEvent,
  Condensation,
  CondensationRequest,
  CondensationSummaryEvent,
  ConversationErrorEvent,
  ConversationStateUpdateEvent,
  InterruptEvent,
  MessageEvent,
  ObservationEvent,
  PauseEvent,
  SystemPromptEvent,
  UserRejectObservation,
  ACPToolCallEvent,
  HookExecutionEvent,
  LLMCompletionLogEvent,
  ServerErrorEvent,
  StreamingDeltaEvent,
  TokenEvent,
} from '../src/kinds/index.ts';
import { TerminalAction, TerminalObservation, ThinkObservation } from '../src/payloads/index.ts';

const at = (second: number) => ({
  id: `00000000-0000-4000-8000-00000000000${second}`,
  timestamp: `2026-02-03T04:05:0${second}.000007`,
  parent_id: `00000000-0000-4000-8000-00000000000${second - 1}`,
});
/** UTC milliseconds. */
const ms = 1_770_000_000_000;
const usage = {
  input_tokens: 100,
  output_tokens: 20,
  cache_read_tokens: 50,
  cache_write_tokens: 0,
  reasoning_tokens: 5,
};
const listed = TerminalObservation.create({ content: [text('index.ts')], command: 'ls src', exit_code: 0 });
const tool_call = { id: 'call_1', name: 'terminal', arguments: '{"command": "ls"}', origin: 'completion' as const };
const named = { tool_name: 'terminal', tool_call_id: 'call_1' };

/**
 * Examples of event kinds and facts by golden file, with every field set. Records without one get an example from their
 * schema.
 */
export const eventExamples: Readonly<Record<string, BaseEvent>> = {
  ACPToolCallEvent: ACPToolCallEvent.create(
    {
      tool_call_id: 't',
      title: 'Edit',
      status: 'completed',
      tool_kind: 'edit',
      raw_input: { path: 'a', mode: null },
      raw_output: 'ok',
      content: [{ type: 'diff', path: 'a', old_text: null, new_text: 'x' }],
      is_error: true,
    },
    at(4),
  ),
  ActionEvent: ActionEvent.create(
    {
      thought: [text('Look first.')],
      reasoning_content: 'The listing tells what there is.',
      thinking_blocks: [
        { type: 'thinking', thinking: 'List, then read.', signature: 'c2ln' },
        { type: 'redacted_thinking', data: 'cmVk' },
      ],
      responses_reasoning_item: { id: 'rs_1', summary: ['List.'], content: ['raw'], encrypted_content: 'ZW5j' },
      action: TerminalAction.create({ command: 'ls', timeout: 2.5 }),
      ...named,
      tool_call: { ...tool_call, responses_item_id: 'fc_1', extra: { signature: 'abc' } },
      llm_response_id: 'resp-1',
      security_risk: 'LOW',
      critic_result: { score: 0.7, message: 'Fine.', metadata: { from: null } },
      summary: 'list files',
    },
    at(3),
  ),
  AgentErrorEvent: AgentErrorEvent.create(
    {
      ...named,
      error: 'There is no tool named terminal.',
      classification: { kind: 'agent_action', retryable: true, user_action: 'retry', error_id: 'x1' },
    },
    at(4),
  ),
  Condensation: Condensation.create(
    {
      forgotten_event_ids: ['00000000-0000-4000-8000-000000000002'],
      summary: '…',
      summary_offset: 2,
      llm_response_id: 'resp-2',
    },
    at(5),
  ),
  CondensationRequest: CondensationRequest.create({}, at(5)),
  CondensationSummaryEvent: CondensationSummaryEvent.create({ summary: 'Three events are not shown.' }, at(5)),
  ConversationErrorEvent: ConversationErrorEvent.create(
    {
      code: 'MaxBudgetReached',
      detail: 'The budget of 1 USD is spent.',
      classification: { kind: 'quota', retryable: false, user_action: 'settings' },
      source: 'environment',
    },
    at(6),
  ),
  ConversationStateUpdateEvent: ConversationStateUpdateEvent.create(
    { key: 'agent_state', value: { kept: null, list: [1, 'é'] } },
    at(6),
  ),
  HookExecutionEvent: HookExecutionEvent.create(
    {
      hook_event_type: 'PreToolUse',
      hook_command: 'x.sh',
      tool_name: 'terminal',
      success: false,
      blocked: true,
      exit_code: 2,
      stdout: 'o',
      stderr: 'no',
      reason: 'r',
      additional_context: 'c',
      error: 'e',
      action_id: at(3).id,
      message_id: at(2).id,
      hook_input: { tool_name: 'terminal', tool_response: null },
    },
    at(4),
  ),
  InterruptEvent: InterruptEvent.create({}, at(7)),
  LLMCompletionLogEvent: LLMCompletionLogEvent.create(
    { filename: 'm-1.0-ab12.json', log_data: '{}', model_name: 'm', usage_id: 'agent' },
    at(4),
  ),
  MessageEvent: MessageEvent.create(
    {
      source: 'user',
      llm_message: {
        role: 'user',
        content: [text('What is on “this” picture? 🖼'), { type: 'image', image_urls: ['data:image/png;base64,AAAA'] }],
        extra: { origin: 'paste' },
      },
      activated_skills: ['pictures'],
      extended_content: [text('Today is Tuesday.')],
      sender: 'ann',
    },
    { id: at(2).id, timestamp: at(2).timestamp },
  ),
  ObservationEvent: ObservationEvent.create(
    {
      ...named,
      observation: ThinkObservation.create({ content: [text('Noted.')] }),
      action_id: at(3).id,
      extended_content: [text('A rule applies.')],
    },
    at(4),
  ),
  PauseEvent: PauseEvent.create({}, at(7)),
  ServerErrorEvent: ServerErrorEvent.create({ code: 'Gone', detail: 'No more.', source: 'environment' }, at(7)),
  StreamingDeltaEvent: StreamingDeltaEvent.create({ content: 'tok', reasoning_content: 'hm' }, at(3)),
  SystemPromptEvent: SystemPromptEvent.create(
    {
      system_prompt: { ...text('You work in a repository.'), cache_prompt: true },
      tools: [{ description: 'Notes a thought.', kind: 'ThinkTool', title: 'think' }],
      dynamic_context: text('Linux'),
    },
    { ...at(1), parent_id: '__root__' },
  ),
  TokenEvent: TokenEvent.create({ prompt_token_ids: [1, 2], response_token_ids: [3], source: 'agent' }, at(3)),
  UserRejectObservation: UserRejectObservation.create(
    { ...named, rejection_reason: 'Not on my disk.', rejection_source: 'hook', action_id: at(3).id },
    at(4),
  ),
  'varve.approval': approvalFact.create({ action_id: at(3).id, digest: 'd1', by: 'ann', at: ms }, at(4)),
  'varve.call': callFact.create(
    {
      response_id: 'resp-1',
      actions: [at(3).id],
      usage_id: 'agent',
      model: 'some-model',
      finish: 'tool-calls',
      usage,
      cost_usd: 0.0125,
      latency_ms: 1500,
      digests: { messages: 'aa', tools: 'bb', parameters: 'cc' },
      projections: { messages: 1 },
      at: ms,
    },
    at(3),
  ),
  'varve.changed_call': changedCallFact.create(
    { action_id: at(3).id, action: TerminalAction.create({ command: 'ls src' }), observation: listed, at: ms },
    at(4),
  ),
  'varve.child': childFact.create(
    {
      conversation_id: '6'.repeat(32),
      calls: 2,
      unpriced_calls: 0,
      cost_usd: 0.025,
      latency_ms: 3000,
      usage: { ...usage, input_tokens: 200, output_tokens: 40, cache_read_tokens: 80, reasoning_tokens: 0 },
      at: ms,
    },
    at(3),
  ),
  'varve.control': controlFact.create(
    { action_id: at(3).id, control: 'transfer', agent: 'writer', reason: 'Write it.', at: ms },
    at(4),
  ),
  'varve.effect': effectFact.create(
    { action_id: at(3).id, idempotency_key: 'k1', at: ms, sandbox: 'workspace' },
    at(4),
  ),
  'varve.files': filesFact.create(
    {
      action_id: at(3).id,
      changes: [
        { path: 'a.txt', mode: '100644', before: null, after: 'e5', content: 'text' },
        { path: 'a.png', mode: '100644', before: 'e6', after: 'e7', content: 'AAE=', encoding: 'base64' },
        { path: 'key.pem', mode: '100600', before: 'unknown', after: 'e8', omitted: 'secret' },
        { path: 'old.txt', before: 'e9', after: null },
      ],
    },
    at(4),
  ),
  'varve.fork': forkFact.create(
    {
      of: '6'.repeat(32),
      events: 4,
      leaf: at(3).id,
      settings: { workspace: '/project', agent: { kind: 'Agent' } },
      at: ms,
    },
    at(5),
  ),
  'varve.fork_end': forkEndFact.create({ fork: at(4).id, at: ms }, at(5)),
  'varve.import': importFact.create({ events: 5, seal: 'd4', at: ms }, at(5)),
  'varve.mask': maskFact.create({ event_ids: [at(4).id], text: 'Output left out.' }, at(5)),
  'varve.partial_reply': partialReplyFact.create(
    { model: 'some-model', finish: 'aborted', text: 'I begin with', reasoning: 'First', at: ms },
    at(4),
  ),
  'varve.parameters': parametersFact.create({ digest: 'd3', parameters: { temperature: 0.5 } }, at(5)),
  'varve.review': reviewFact.create(
    {
      calls: [
        {
          action_id: at(3).id,
          asks: true,
          verdict: { risk: 'HIGH', reasons: [{ risk: 'HIGH', text: 'rm -rf build', rule: 'exec.destruct.rm_rf' }] },
        },
        { action_id: at(4).id, asks: false },
      ],
    },
    at(4),
  ),
  'varve.rewind': rewindFact.create(
    { head: 3, changes: [{ path: 'a.txt', before: 'e5', after: null }], at: ms },
    at(5),
  ),
  'varve.run': runFact.create({ state: 'begun', at: ms, inherited: true }, at(5)),
  'varve.settings': settingsFact.create(
    { workspace: '/project', agent: { confirmation_policy: { kind: 'AlwaysConfirm' }, kind: 'Agent' } },
    at(5),
  ),
  'varve.task': taskFact.create(
    {
      task_id: 'task_00000001',
      conversation_id: '6'.repeat(32),
      sub_agent: 'general-purpose',
      action_id: at(3).id,
      description: 'Read the tests',
      at: ms,
    },
    at(4),
  ),
  'varve.toolset': toolsetFact.create(
    { digest: 'bb', tools: [{ name: 'think', description: 'Notes.', parameters: { type: 'object' } }] },
    at(2),
  ),
};

const content = [text('Done.')];
const editor = { command: 'str_replace', path: '/w/a.txt', new_str: 'n', old_str: 'o', file_text: 'f' };
const edited = { content, command: 'create', path: '/w/a.txt', prev_exist: false, new_content: 'f', old_content: '' };
const metadata = { exit_code: 0, pid: 7, username: 'u', hostname: 'h', working_dir: '/w', py_interpreter_path: '/p' };
const matches = { content, pattern: 'a*', search_path: '/w', truncated: true };
const entry = { name: 'a', path: '/w/a', is_directory: false, size: 3, modified_time: '2026-01-01T12:00:00' };
const changed = { content, file_path: '/w/a', is_new_file: true, old_content: '', new_content: 'n' };
const seen = { image_index: 0, question: 'What?', profile_name: 'eyes' };
/** Examples of payload fields by kind, with every field set, in any order. */
export const payloadExamples: Readonly<Record<string, Readonly<Record<string, unknown>>>> = {
  ApplyPatchAction: { patch: '*** Begin Patch\n*** End Patch' },
  ApplyPatchObservation: {
    content,
    message: 'Done!',
    fuzz: 1,
    commit: { changes: { 'a.txt': { type: 'update', old_content: 'o', new_content: 'n', move_path: 'b.txt' } } },
  },
  BrowserClickAction: { index: 3, new_tab: true },
  BrowserCloseTabAction: { tab_id: 'ab12' },
  BrowserGetContentAction: { extract_links: true, start_from_char: 10 },
  BrowserGetStateAction: { include_screenshot: true },
  BrowserGetStorageAction: {},
  BrowserGoBackAction: {},
  BrowserListTabsAction: {},
  BrowserNavigateAction: { url: 'https://example.com' },
  BrowserObservation: { content, screenshot_data: 'iVBORw0KGgo=', full_output_save_dir: '/w/.out' },
  BrowserScrollAction: { direction: 'up' },
  BrowserSetStorageAction: { storage_state: { cookies: [], origins: null } },
  BrowserStartRecordingAction: {},
  BrowserStopRecordingAction: {},
  BrowserSwitchTabAction: { tab_id: 'ab12' },
  BrowserTypeAction: { text: 'hello', index: 3 },
  ClientToolObservation: { content },
  ConsultTomAction: { reason: 'Unclear.', use_user_message: false, custom_query: 'What does she want?' },
  ConsultTomObservation: { content: [], suggestions: 'Be brief.', confidence: 0.75, reasoning: 'She said so.' },
  DelegateAction: { command: 'spawn', ids: ['a'], agent_types: ['explore'], tasks: { a: 'Look.' } },
  DelegateObservation: { content, command: 'delegate' },
  EditAction: { file_path: '/w/a', old_string: 'o', new_string: 'n', expected_replacements: 2 },
  EditObservation: { ...changed, replacements_made: 2 },
  FileEditorAction: { ...editor, insert_line: 3, view_range: [1, -1] },
  FileEditorObservation: edited,
  FinishAction: { message: 'All green.' },
  FinishObservation: { content },
  GlobAction: { pattern: '**/*.ts', path: '/w' },
  GlobObservation: { ...matches, files: ['/w/a.ts'] },
  GrepAction: { pattern: 'fn main', path: '/w', include: '*.ts' },
  GrepObservation: { ...matches, matches: ['/w/a.ts'], include_pattern: '*.ts' },
  InvokeSkillAction: { name: 'pdf' },
  InvokeSkillObservation: { content, skill_name: 'pdf' },
  ListDirectoryAction: { recursive: true },
  ListDirectoryObservation: { content, dir_path: '/w', entries: [entry], total_count: 1, is_truncated: false },
  MCPToolAction: { data: { path: '/w', deep: { nothing: null } } },
  MCPToolObservation: { content, is_error: true, tool_name: 'search' },
  PlanningFileEditorAction: { ...editor, insert_line: 3, view_range: [1, -1] },
  PlanningFileEditorObservation: edited,
  ReadFileAction: { file_path: '/w/a', offset: 10, limit: 5 },
  ReadFileObservation: {
    content,
    file_path: '/w/a',
    file_content: 'f',
    is_truncated: true,
    lines_shown: [11, 15],
    total_lines: 20,
  },
  SleeptimeComputeAction: {},
  SleeptimeComputeObservation: { message: 'Learned.', sessions_processed: 2 },
  SwitchLLMAction: { profile_name: 'fast', reason: 'Easy now.' },
  SwitchLLMObservation: { content, profile_name: 'fast', reason: 'Easy now.', active_model: 'm-1' },
  TaskAction: { description: 'look around', prompt: 'Look.', subagent_type: 'explore', resume: 'task_00000001' },
  TaskObservation: { content, task_id: 'task_00000001', subagent: 'explore', status: 'completed' },
  TaskTrackerAction: { command: 'plan', task_list: [{ title: 'Read' }] },
  TaskTrackerObservation: {
    content,
    command: 'plan',
    task_list: [{ title: 'Read', notes: 'all of it', status: 'in_progress' }],
  },
  TerminalAction: { command: 'C-c', is_input: true, timeout: 2.5 },
  TerminalObservation: {
    content,
    command: 'ls',
    exit_code: 0,
    timeout: true,
    metadata,
    full_output_save_dir: '/w/.out',
  },
  ThinkAction: { thought: 'Hm.' },
  ThinkObservation: { content },
  VisionInspectAction: seen,
  VisionInspectObservation: { content, ...seen, model: 'm-1', base_url: 'https://example.com', answer: 'A cat.' },
  WorkflowAction: { name: 'review', script: 'flow', max_concurrency: 4 },
  WorkflowObservation: { content, name: 'review', status: 'completed' },
  WriteFileAction: { file_path: '/w/a', content: 'n' },
  WriteFileObservation: changed,
};
