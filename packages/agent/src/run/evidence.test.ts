import fc from 'fast-check';
import { expect, test } from 'vitest';
import { eventCodec, text, type BaseEvent } from '@varve/events';
import { changedCallFact, filesFact, importFact } from '@varve/events/facts';
import {
  ActionEvent,
  AgentErrorEvent,
  builtinKinds,
  MessageEvent,
  ObservationEvent,
  UserRejectObservation,
} from '@varve/events/kinds';
import { FileEditorObservation, MCPToolObservation, TerminalAction, TerminalObservation } from '@varve/events/payloads';
import { foldEvents } from '@varve/events/projections';
import { arbitraryLog, projectionContract, type Log as Stored } from '@varve/events/testing';
import { changedCallMessage, interruptedMessage, unknownOutcomeMessage } from '../log/drafts.ts';
import { evidenceProjection } from '../log/projections/evidence-projection.ts';
import { claims, others } from '../../test/final-messages.ts';
import { evidenceOf } from './evidence.ts';

const stamp = (id: number) => ({ id: id.toString(16).padStart(8, '0'), timestamp: '2026-01-01T00:00:00.000000' });
const codec = eventCodec(builtinKinds);
const named = { tool_name: 'terminal', tool_call_id: 'c' };

type Make = (id: number) => BaseEvent;

/** Events of a command; without an exit status it is still running. */
function ran(command: string, exitCode = -1, output = ''): readonly [Make, Make] {
  const call = { id: 'c', name: 'terminal', arguments: '{}', origin: 'completion' } as const;
  const content = { thought: [], action: TerminalAction.create({ command }) };
  const action = { ...content, ...named, tool_call: call, llm_response_id: 'r' };
  const observation = TerminalObservation.create({ content: [text(output)], exit_code: exitCode });
  return [
    (id) => ActionEvent.create(action, stamp(id)),
    (id) => ObservationEvent.create({ ...named, observation, action_id: stamp(id - 1).id }, stamp(id)),
  ];
}

/** Events of a call that ran with another command, and counts as rejected. */
function ranInstead(own: string, command: string, exitCode: number): readonly [Make, Make, Make] {
  const action = TerminalAction.create({ command });
  const observation = TerminalObservation.create({ exit_code: exitCode });
  const fields = { ...named, rejection_reason: changedCallMessage(action, '') };
  return [
    ran(own)[0],
    (id) => changedCallFact.create({ action_id: stamp(id - 1).id, action, observation, at: 0 }, stamp(id)),
    (id) => UserRejectObservation.create({ ...fields, action_id: stamp(id - 2).id }, stamp(id)),
  ];
}

const edited = (path: string) => (id: number) => {
  const observation = FileEditorObservation.create({ command: 'str_replace', path });
  return ObservationEvent.create({ ...named, observation, action_id: 'eeeeeeee' }, stamp(id));
};
const changed = (path: string, actionId?: number) => (id: number) => {
  const change = { path, before: null, after: 'a' };
  const by = actionId === undefined ? { outside: true as const } : { action_id: stamp(actionId).id };
  return filesFact.create({ ...by, changes: [change] }, stamp(id));
};
const said = (id: number) =>
  MessageEvent.create({ source: 'user', llm_message: { role: 'user', content: [text('Go.')] } }, stamp(id));

const reject = (id: number) =>
  UserRejectObservation.create({ ...named, rejection_reason: 'No.', action_id: 'eeeeeeee' }, stamp(id));
const failed = (error: string) => (id: number) => AgentErrorEvent.create({ ...named, error }, stamp(id));
const imported = (id: number) => importFact.create({ events: 1, at: 1 }, stamp(id));

type Log = readonly Make[];
const of = (log: Log, answer = '') =>
  evidenceOf(
    foldEvents(
      evidenceProjection,
      log.map((make, id) => make(id)),
    ),
    answer,
  );

test('the line has the exit status of the last run of each check, its event, and the files that changed afterwards', () => {
  const log = [
    said,
    ...ran('npm test', 1),
    edited('/w/a.ts'),
    ...ran('npm test', 0),
    ...ran('npx tsc -b', 2),
    edited('/w/a.ts'),
    edited('/w/b.ts'),
  ];
  expect(of(log).text).toBe(
    'npm test: exit 0 (event 5), then 2 files changed · tsc -b: exit 2 (event 7), then 2 files changed',
  );
  expect(of(log).checks).toMatchObject([
    { kind: 'tests', exitCode: 0, changedFiles: 2 },
    { kind: 'types', exitCode: 2 },
  ]);
});

test('changes by the check itself do not count, and a file has one name', () => {
  const own = [said, ...ran('npm test', 0), changed('coverage/a.json', 1)];
  expect(of(own).text).toBe('npm test: exit 0 (event 2)');
  expect(of([...own, changed('a.ts')]).text).toBe('npm test: exit 0 (event 2), then 1 file changed');
  expect(
    of([said, ...ran('npm test', 0), edited('/w/src/a.ts'), changed('src/a.ts'), edited('/w/src/a.ts')]).checks[0]
      ?.changedFiles,
  ).toBe(1);
});

test.for(projectionContract)('the projection $title', (check) => {
  const first = [said, ...ran('npm test', 1), edited('/w/a')];
  const log = [...first, ...ran('npm test'), ...ran('', 0), changed('a'), ...ran('tsc'), ...ranInstead('ls', 'tsc', 1)];
  check.run({ projection: evidenceProjection, codec, events: log.map((make, id) => make(id)) });
  fc.assert(
    fc.property(arbitraryLog<fc.Arbitrary<Stored>>(fc, { maxEvents: 40 }), (entries) =>
      check.run({ projection: evidenceProjection, codec, events: entries.map((entry) => codec.read(entry.text)) }),
    ),
    { numRuns: 10 },
  );
});

test('payloads of any JSON are no checks', () => {
  const [call, result] = ran('npm test', 0);
  const hostile = (id: number) => codec.read(codec.encode(call(id)).replace('"command":"npm test"', '"command":7'));
  expect(of([said, hostile, result, ...ran('npx tsc', 0)]).checks).toMatchObject([{ command: 'tsc' }]);
});

test('a check that was still running has the exit status of its end', () => {
  expect(of([said, ...ran('npm test')]).text).toBe('npm test: exit status unknown (event 2)');
  expect(of([said, ...ran('npm test'), ...ran('', 1)]).text).toBe('npm test: exit 1 (event 4)');
  expect(of([said, ...ran('npm test'), ...ran('ls', 0)]).text).toBe('npm test: exit status unknown (event 2)');
});

test('a status that may be that of another command is unknown', () => {
  expect(of([said, ...ran('npm test | tail -5', 0)]).text).toContain('exit status unknown');
  expect(of([said, ...ran('npm ci && npm test', 1)]).text).toContain('exit status unknown');
  expect(of([said, ...ran('cd gone && npm test', 1, 'bash: cd: gone: No such file')]).text).toContain(
    'exit status unknown',
  );
  expect(of([said, ...ran('cd web && npm test', 1)]).text).toContain('exit 1');
});

test('a call that ran with another command is a check of this one, and was not refused', () => {
  expect(of(ranInstead('npm run all', 'npm test', 1)).text).toBe('npm test: exit 1 (event 1)');
  expect(of([...ranInstead('npm test', 'ls', 0), reject]).text).toBe('1 call refused');
  const unknown = changedCallMessage(TerminalAction.create({ command: 'ls' }), unknownOutcomeMessage('terminal'));
  expect(of([failed(unknown)]).text).toBe('the outcome of 1 call is unknown');
});

test('refused calls and unknown outcomes count since the last message of the user', () => {
  const log = [
    said,
    reject,
    failed(interruptedMessage),
    failed(unknownOutcomeMessage('terminal')),
    failed('terminal failed: no'),
  ];
  expect(of(log).text).toBe('1 call refused · the outcome of 2 calls is unknown');
  expect(of([...log, said]).text).toBeUndefined();
});

test('nothing is stated about a turn without a check and a change, nor by an imported log', () => {
  expect(of([said, ...ran('npm test', 0), said, ...ran('ls', 0)]).text).toBeUndefined();
  expect(of([said, ...ran('./all.sh', 1)]).text).toBeUndefined();
  expect(of([said, ...ran('npm test', 1), imported], 'All tests pass.')).toMatchObject({
    checks: [],
    isContradicted: false,
  });
});

test.for<[Log, boolean]>([
  [[said], false],
  [[said, ...ran('npm test', 0)], true],
  [[said, edited('/w/a'), ...ran('npm test', 0)], true],
  [[said, ...ran('npm test', 0), edited('/w/a')], false],
  [[said, ...ran('npm test', 1)], false],
  [[said, ...ran('npm test', 0), ...ran('npx tsc', 1)], false],
  [[said, ...ran('npm test || true', 0)], false],
])('a check is fresh if it passed after the last change, and none failed: %#', ([log, isFresh]) => {
  expect(of(log).isFresh).toBe(isFresh);
});

const failedTests = [said, ...ran('npm test', 1)];
/** Logs in which no test failed, or in which another command may have repeated it. */
const logs: readonly Log[] = [
  [said, ...ran('ls', 0)],
  [said, ...ran('npm test', 1), edited('/w/a'), ...ran('npm test', 0)],
  [said, ...ran('npm test 2>&1 | tail', 0)],
  [...failedTests, ...ran('./run.sh', 0)],
  [...failedTests, ...ran('npx vitest run', 0)],
  [...failedTests, said],
  [
    ...failedTests,
    (id) => {
      const observation = MCPToolObservation.create({ content: [text('12 passed')], tool_name: 'run_tests' });
      return ObservationEvent.create({ ...named, observation, action_id: 'eeeeeeee' }, stamp(id));
    },
  ],
];

const accused = (log: Log, answers: readonly string[]) => answers.filter((answer) => of(log, answer).isContradicted);

test('two hundred answers next to their logs: no accusation is false', () => {
  expect(claims.length + others.length).toBeGreaterThanOrEqual(200);
  expect(accused(failedTests, claims)).toEqual(claims);
  expect(accused([...failedTests, edited('/w/a.ts')], claims)).toEqual(claims);
  expect(accused(failedTests, others)).toEqual([]);
  for (const log of logs) expect(accused(log, [...claims, ...others])).toEqual([]);
});

test('a contradiction is a part of the line, of each kind of check', () => {
  expect(of(failedTests, 'All tests pass.').text).toBe('npm test: exit 1 (event 2), the answer states that it passed');
  expect(of([said, ...ran('npx tsc', 2)], 'Type checking passes.').isContradicted).toBe(true);
  expect(of([said, ...ran('npm run build', 1)], 'The build succeeds.').isContradicted).toBe(true);
});
