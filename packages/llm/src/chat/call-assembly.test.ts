import { expect, test } from 'vitest';
import { defaultReplyLimits } from '../http/reply-limits.ts';
import { callAssembly } from './call-assembly.ts';
import type { WireCallPiece } from './wire-answer.ts';

function piece(where: Partial<WireCallPiece>, json: string, name = ''): WireCallPiece {
  return { ...where, function: { name, arguments: json } };
}

const many = 60_000;

/** Several times the time limit of a test, if each piece were compared with all earlier ones. */
test.for<readonly [string, (at: number) => WireCallPiece, number]>([
  ['names with all pieces of arguments that seem whole', (at) => piece({ index: 0 }, at > 0 ? '}' : '{"a":"', 'f'), 1],
  ['another id with every piece', (at) => piece({ id: `c${at}`, index: 0 }, at > 0 ? '}' : '{"a":"'), 1],
  ['many calls with ids', (at) => piece({ id: `c${at}`, index: at }, '{}', 'f'), many],
  ['many calls with one id', (at) => piece({ id: 'c', index: at }, '{}', 'f'), many],
  ['many calls without ids', () => piece({}, '{}', 'f'), many],
])('%s take time in proportion', ([, pieceAt, calls]) => {
  const assembled = callAssembly();
  for (let at = 0; at < many; at += 1) assembled.addPiece(pieceAt(at));
  assembled.end();
  expect(assembled.calls()).toHaveLength(calls);
});

/** Returns the arguments of a call whose server sends an empty object before the real one. */
function repaired(json: string): string | undefined {
  const assembled = callAssembly();
  assembled.addPiece(piece({ index: 0 }, '{}', 'f'));
  assembled.addPiece(piece({ index: 0 }, json));
  return assembled.calls()[0]?.arguments;
}

test('arguments of more values than a response may have are not parsed to repair them', () => {
  expect(repaired('{"a":[0]}')).toBe('{"a":[0]}');
  const large = `{"a":[${'0,'.repeat(defaultReplyLimits.values)}0]}`;
  expect(repaired(large) === `{}${large}`).toBe(true);
});
