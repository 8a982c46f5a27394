import fc from 'fast-check';
import { expect, test } from 'vitest';
import { eventCodec, type BaseEvent, type Stamp } from '@varve/events';
import {
  condensationFact,
  controlFact,
  filesFact,
  importFact,
  leafKey,
  settingsFact,
  taskFact,
} from '@varve/events/facts';
import {
  ActionEvent,
  builtinKinds,
  CondensationRequest,
  ConversationStateUpdateEvent,
  HookExecutionEvent,
  MessageEvent,
} from '@varve/events/kinds';
import { conversationTimeline, type ConversationTimeline } from './conversation-state.ts';

type Name = Parameters<ConversationTimeline['read']>[0];

/** Which states of an imported log end at its boundary; the others are history, or name the boundary. */
const endsAtImport: Readonly<Record<Name, boolean>> = {
  status: false,
  stats: false,
  activity: false,
  toolsets: true,
  // Those before the boundary, which the settings name, do not apply.
  policies: false,
  settings: false,
  directories: true,
  overflow: true,
  context: true,
  stops: true,
  tasks: true,
  control: true,
  goal: true,
  blocked: false,
  evidence: true,
  files: true,
  // The import answers them.
  pending: false,
  taskList: false,
  view: false,
};

const codec = eventCodec(builtinKinds);
const at = 0;
const call = { id: 'c', name: 'terminal', arguments: '{}', origin: 'completion' } as const;
const id = fc.constantFrom('a', 'b');
const condenser = { condenser: 'x', reason: 'check', tokens_before: 1 } as const;

/** Events with which a bundle could steer a run. */
const hostile: fc.Arbitrary<(stamp: Stamp) => BaseEvent> = fc.oneof(
  fc.constant((stamp: Stamp) =>
    filesFact.create({ outside: true, changes: [{ path: 'a', before: null, after: 'h', content: 'c' }] }, stamp),
  ),
  fc.boolean().map((blocked) => (stamp: Stamp) => {
    const hook = { hook_event_type: 'Stop', hook_command: 'x', success: true, blocked } as const;
    return HookExecutionEvent.create({ ...hook, exit_code: 0, stdout: '', stderr: '' }, stamp);
  }),
  fc
    .record({ action_id: id, agent: id })
    .map((value) => (stamp: Stamp) => controlFact.create({ ...value, control: 'transfer', reason: 'Go.', at }, stamp)),
  fc.record({ scale: fc.constantFrom(1e-9, 1e9), tokens_after: fc.option(fc.nat()) }).map(
    ({ scale, tokens_after: after }) =>
      (stamp: Stamp) =>
        condensationFact.create({ ...condenser, scale, at, ...(after !== null && { tokens_after: after }) }, stamp),
  ),
  fc.constant((stamp: Stamp) => CondensationRequest.create({}, stamp)),
  fc.constant((stamp: Stamp) =>
    ActionEvent.create(
      { thought: [], tool_name: 'terminal', tool_call_id: 'c', tool_call: call, llm_response_id: stamp.id },
      stamp,
    ),
  ),
  id.map(
    (task) => (stamp: Stamp) =>
      taskFact.create({ task_id: task, conversation_id: 'b'.repeat(32), sub_agent: 'x', at }, stamp),
  ),
  fc.constant((stamp: Stamp) => {
    const goal = { active: true, status: 'running', iteration: 0, max_iterations: 9, objective: 'Theirs.' };
    return ConversationStateUpdateEvent.create({ key: 'goal', value: { ...goal, verdict: null } }, stamp);
  }),
  fc.constant((stamp: Stamp) => settingsFact.create({ workspace: '/', agent: { kind: 'Agent' } }, stamp)),
  fc.constant((stamp: Stamp) =>
    MessageEvent.create({ source: 'agent', llm_message: { role: 'assistant', content: [] } }, stamp),
  ),
);

/** Folds events, and the boundary of an import after them. */
function imported(makers: readonly ((stamp: Stamp) => BaseEvent)[]): ConversationTimeline {
  const timeline = conversationTimeline(codec);
  for (const [seq, event] of eventsOf(makers).entries()) timeline.push(event, seq);
  return timeline;
}

function eventsOf(makers: readonly ((stamp: Stamp) => BaseEvent)[]): readonly BaseEvent[] {
  const boundary = (stamp: Stamp): BaseEvent => importFact.create({ events: makers.length, at }, stamp);
  return [...makers, boundary].map((make, seq) => make(stampOf(seq)));
}

const stampOf = (seq: number): Stamp => ({ id: `facade00-${seq}`, timestamp: '2026-11-20T23:41:43.907041' });

/** Folds the same, and goes back to one of the events before the boundary. */
async function navigated(makers: readonly ((stamp: Stamp) => BaseEvent)[], to: number): Promise<ConversationTimeline> {
  const events = eventsOf(makers);
  const leaf = ConversationStateUpdateEvent.create(
    { key: leafKey, value: events[to]?.id ?? '__root__' },
    stampOf(events.length),
  );
  const entries = [...events, leaf].map((event, seq) => {
    return { seq, id: event.id, kind: event.kind, parentId: event.parent_id, text: codec.encode(event) };
  });
  const timeline = conversationTimeline(codec);
  await timeline.load((from) => entries.slice(from));
  return timeline;
}

const names = Object.entries(endsAtImport).flatMap(([name, ends]) => (ends ? [name as Name] : []));

test.for(names)('nothing of an imported log is left in the state %s', (name) => {
  const empty = imported([]).read(name);
  fc.assert(
    fc.property(fc.array(hostile, { maxLength: 20 }), (makers) => {
      expect(imported(makers).read(name)).toEqual(empty);
    }),
    { numRuns: 50 },
  );
});

test.for(names)('nothing of an imported log is in the state %s after going back to an event of it', async (name) => {
  const empty = imported([]).read(name);
  await fc.assert(
    fc.asyncProperty(fc.array(hostile, { maxLength: 20 }), fc.nat(20), async (makers, to) => {
      const state = (await navigated(makers, to)).read(name);
      expect(state).toEqual(empty);
    }),
    { numRuns: 50 },
  );
});
