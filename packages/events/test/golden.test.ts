import { readFileSync } from 'node:fs';
import { describe, expect, test } from 'vitest';
import {
  approvalFact,
  callFact,
  childFact,
  effectFact,
  maskFact,
  parametersFact,
  runFact,
  toolsetFact,
} from '../src/facts/index.ts';
import { eventCodec, text, type BaseEvent } from '../src/index.ts';
import {
  ActionEvent,
  AgentErrorEvent,
  builtinKinds,
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
import { TerminalAction, ThinkObservation } from '../src/payloads/index.ts';

const codec = eventCodec(builtinKinds);
const at = (second: number) => ({
  id: `00000000-0000-4000-8000-00000000000${second}`,
  timestamp: `2026-02-03T04:05:0${second}.000007`,
  parent_id: `00000000-0000-4000-8000-00000000000${second - 1}`,
});
const tool_call = { id: 'call_1', name: 'terminal', arguments: '{"command": "ls"}', origin: 'completion' as const };
const named = { tool_name: 'terminal', tool_call_id: 'call_1' };

/** One event of each kind and one fact of each key, with as many fields as it can have. */
const events: Readonly<Record<string, BaseEvent>> = {
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
  'varve.approval': approvalFact.create({ action_id: at(3).id, digest: 'd1', by: 'ann', at: 1_770_000_000_000 }, at(4)),
  'varve.call': callFact.create(
    {
      response_id: 'resp-1',
      actions: [at(3).id],
      usage_id: 'agent',
      model: 'some-model',
      finish: 'tool-calls',
      usage: {
        input_tokens: 100,
        output_tokens: 20,
        cache_read_tokens: 50,
        cache_write_tokens: 0,
        reasoning_tokens: 5,
      },
      cost_usd: 0.0125,
      latency_ms: 1500,
      digests: { messages: 'aa', tools: 'bb', parameters: 'cc' },
      projections: { messages: 1 },
      at: 1_770_000_000_000,
    },
    at(3),
  ),
  'varve.child': childFact.create(
    {
      conversation_id: '6'.repeat(32),
      calls: 2,
      unpriced_calls: 0,
      cost_usd: 0.025,
      latency_ms: 3000,
      usage: {
        input_tokens: 200,
        output_tokens: 40,
        cache_read_tokens: 80,
        cache_write_tokens: 0,
        reasoning_tokens: 0,
      },
      at: 1_770_000_000_000,
    },
    at(3),
  ),
  'varve.effect': effectFact.create({ action_id: at(3).id, idempotency_key: 'k1', at: 1_770_000_000_000 }, at(4)),
  'varve.mask': maskFact.create({ event_ids: [at(4).id], text: 'Output left out.' }, at(5)),
  'varve.parameters': parametersFact.create({ digest: 'd3', parameters: { temperature: 0.5 } }, at(5)),
  'varve.run': runFact.create({ state: 'begun', at: 1_770_000_000_000, inherited: true }, at(5)),
  'varve.toolset': toolsetFact.create(
    { digest: 'bb', tools: [{ name: 'think', description: 'Notes.', parameters: { type: 'object' } }] },
    at(2),
  ),
};

const golden = (name: string): string =>
  readFileSync(new URL(`golden/records/${name}.json`, import.meta.url), 'utf8').trimEnd();

describe.for(Object.entries(events))('%s', ([name, event]) => {
  test('is written as the golden file says', () => {
    expect(codec.encode(event)).toBe(golden(name));
  });

  test('comes back from its golden file unchanged', () => {
    const read = codec.decode(golden(name));
    expect(read).toEqual(event);
    expect(codec.encode(read)).toBe(golden(name));
  });
});

test('every built-in kind has a golden file', () => {
  expect(Object.values(events).map(({ kind }) => kind)).toEqual(
    expect.arrayContaining(builtinKinds.map(({ kind }) => kind)),
  );
});
