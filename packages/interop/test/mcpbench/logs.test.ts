import { eventCodec, type BaseEvent } from '@varve/events';
import { callFact } from '@varve/events/facts';
import { builtinKinds, ConversationErrorEvent, ConversationStateUpdateEvent } from '@varve/events/kinds';
import { FinishAction } from '@varve/events/payloads';
import { checkMessages, foldEvents, messageBuilder, viewProjection } from '@varve/events/projections';
import { eventFactory } from '@varve/events/testing';
import { describe, expect, test } from 'vitest';
import type { ForeignLog } from '../../src/index.ts';
import { countedIds } from '../fixture.ts';
import { fromLogJson, toLogJson } from '../../src/mcpbench/log-json.ts';
import { keyStats, mcpbenchStats, stopOf, stopStatus } from '../../src/mcpbench/stats.ts';
import { toMcpbenchLogs } from '../../src/mcpbench/logs.ts';

const codec = eventCodec(builtinKinds);
const decoded = ({ entries }: ForeignLog): readonly BaseEvent[] => entries.map(({ text }) => codec.decode(text));

/** A log with everything: a prompt, a reply of two calls, an error, a rejection and a condensation. */
function everything() {
  const made = eventFactory();
  const [prompt, question] = [made.prompt('You help.'), made.user('Look.')];
  const thought = [{ cache_prompt: false, type: 'text' as const, text: 'I look.' }];
  const calls = [
    made.call('c1', 'r1', { thought, arguments: '{"command": "ls"}' }),
    made.call('c2', 'r1'),
    made.call('c3', 'r1'),
  ];
  const results = [made.result(0, 'a.txt'), made.error('c2'), made.reject(2)];
  const condensation = made.condensation([question, ...calls, ...results], { text: 'S', offset: 1 });
  return { made, calls, events: [prompt, question, ...calls, ...results, condensation, made.agent('One file.')] };
}

describe('logs of mcpbench_dev', () => {
  const { events, calls } = everything();

  test('have one message per event by the rules of the seed', () => {
    const { messages, dropped } = toMcpbenchLogs(events, { profile: 'seed' });
    expect(messages.map(({ role, content }) => [role, content])).toEqual([
      ['user', 'Look.'],
      ['assistant', 'I look.'],
      ['assistant', ''],
      ['assistant', ''],
      ['tool', 'a.txt'],
      ['assistant', 'One file.'],
    ]);
    expect(messages[1]?.tool_calls?.[0]?.function.arguments).toBe(JSON.stringify(calls[0]?.action));
    expect(messages[4]).toMatchObject({ tool_call_id: 'c1', name: 'terminal' });
    expect(dropped.map(({ subject }) => subject)).toEqual([
      'SystemPromptEvent',
      'AgentErrorEvent',
      'UserRejectObservation',
      'Condensation',
    ]);
  });

  test('contain the prompt, errors and rejections in the strict profile, and one message per reply', () => {
    const { messages } = toMcpbenchLogs(events);
    expect(messages.map(({ role }) => role)).toEqual([
      'system',
      'user',
      'assistant',
      'tool',
      'tool',
      'tool',
      'assistant',
    ]);
    const written = messages[2]?.tool_calls?.map((call) => [call.id, call.function.arguments]);
    expect(written).toEqual([
      ['c1', '{"command": "ls"}'],
      ['c2', '{}'],
      ['c3', '{}'],
    ]);
    expect(messages.slice(3, 6).every(({ name, content }) => name === 'terminal' && content !== '')).toBe(true);
    const named = toMcpbenchLogs(events, { profile: 'toolathlon' }).messages.filter(({ name }) => name !== undefined);
    expect(named).toEqual([]);
  });

  test('are legal messages for a provider after they were read', () => {
    const { messages } = toMcpbenchLogs(events, { profile: 'toolathlon' });
    const view = foldEvents(viewProjection(codec), decoded(fromLogJson({ messages }, { newId: countedIds() })));
    expect(checkMessages(messageBuilder(codec)(view.events))).toEqual([]);
  });

  test('have four counters under their own keys', () => {
    expect(mcpbenchStats(events)).toEqual({ interaction_turns: 1, tool_calls: 3, errors: 1, condensations: 1 });
  });

  test('have six numbers of the agent and six of the history', () => {
    const { made } = everything();
    const digests = { messages: '', tools: '', parameters: '' };
    const usage = {
      input_tokens: 100,
      output_tokens: 20,
      cache_read_tokens: 0,
      cache_write_tokens: 0,
      reasoning_tokens: 0,
    };
    const call = {
      response_id: 'r1',
      actions: [],
      usage_id: 'agent',
      model: 'm',
      finish: 'stop',
      latency_ms: 1,
      at: 1,
    };
    const fact = callFact.create({ ...call, usage, cost_usd: 0.5, digests, projections: {} }, made.stamp());
    expect(keyStats([...events, fact])).toEqual({
      interaction_turns: 1,
      tool_calls: 3,
      agent_llm_requests: 1,
      total_tokens: 120,
      input_tokens: 100,
      output_tokens: 20,
      total_turns: 3,
      total_messages: 7,
      truncations: 1,
      user_input_turns: 1,
      assistant_turns: 2,
    });
    expect(keyStats(events)).toMatchObject({ agent_llm_requests: 2, total_tokens: 0 });
    expect(keyStats([...events, made.condensation([])])).toMatchObject({ truncations: 1 });
    expect(toLogJson([...events, fact], 's')).toMatchObject({
      agent_cost: { total_cost: 0.5, total_input_tokens: 100, total_output_tokens: 20, total_requests: 1 },
      key_stats: { total_tokens: 120 },
    });
  });
});

describe('a task of mcpbench_dev', () => {
  const made = eventFactory();
  const question = made.user('Do it.');
  const error = (code: string): BaseEvent =>
    ConversationErrorEvent.create({ source: 'environment', code, detail: '' }, made.stamp());
  const status = (value: string): BaseEvent =>
    ConversationStateUpdateEvent.create({ key: 'execution_status', value }, made.stamp());
  const finish = made.call('f', 'r', { action: FinishAction.create({ message: 'Done.' }), tool_name: 'finish' });

  test('stops at the marker of the user, at the tool that claims it is done, and at limits', () => {
    const claim = made.call('c', 'r', { tool_name: 'claim_done' });
    const done = { ...made.error('c'), tool_name: 'claim_done' };
    expect(stopOf([question])).toBeUndefined();
    expect(stopOf([question, made.user('Thanks. #### STOP')])).toEqual({ by: 'user', status: 'success' });
    expect(stopOf([made.user('BYE')], { userMarker: 'BYE' })?.by).toBe('user');
    expect(stopOf([question, made.agent('#### STOP')])).toBeUndefined();
    expect(stopOf([question, claim])).toBeUndefined();
    expect(stopOf([question, claim, done])).toEqual({ by: 'tool', status: 'success' });
    expect(stopOf([question, made.agent('A')], { maxTurns: 2 })).toEqual({ by: 'turns', status: 'max_turns_reached' });
    expect(stopOf([question, made.agent('A')], { maxTurns: 3, maxRequests: 1 })?.by).toBe('requests');
  });

  test.for<readonly [string, readonly BaseEvent[], string]>([
    ['finish', [question, finish], 'success'],
    ['a finished run', [question, status('finished')], 'success'],
    ['too many steps', [question, error('MaxIterationsReached')], 'max_turns_reached'],
    ['too much time', [question, error('MaxTimeReached')], 'timeout'],
    ['an error', [question, error('unauthenticated')], 'failed'],
    ['a stuck agent', [question, status('stuck')], 'failed'],
    ['nothing', [question], 'interrupted'],
    ['a pause', [question, status('paused')], 'interrupted'],
  ])('that ended with %s has its status', ([, events, expected]) => {
    expect(stopStatus(events)).toBe(expected);
  });
});
