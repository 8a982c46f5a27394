import { expect, test } from 'vitest';
import { logLine } from './log-line.ts';
import type { Printable } from './output.ts';

function plain(line: Printable | undefined): string | undefined {
  if (line === undefined || typeof line === 'string') return line;
  return 'style' in line ? line.text : line.map(plain).join('');
}

const at = '"time":"2026-01-02T03:04:05.678Z"';

test.for([
  [
    `{"level":30,${at},"method":"POST","path":"/api/a","status":201,"ms":4,"request_id":"r","msg":"request"}`,
    '03:04:05 POST /api/a 201 4 ms',
  ],
  [
    `{"level":30,${at},"method":"GET","path":"/api/a","status":404,"ms":4.2,"msg":"request"}`,
    '03:04:05 GET /api/a 404 4.2 ms',
  ],
  [`{"level":30,${at},"method":"GET","path":"/api/a","status":200,"ms":4,"msg":"request"}`, undefined],
  [
    `{"level":20,${at},"method":"GET","path":"/api/a","status":200,"ms":4,"msg":"request"}`,
    '03:04:05 GET /api/a 200 4 ms',
  ],
  [
    `{"level":50,${at},"err":{"type":"E","message":"It broke.","stack":"E at x"},"msg":"failure"}`,
    '03:04:05 failure It broke.',
  ],
  [
    `{"level":40,${at},"notice":"Hooks have no effect.","conversation_id":"c1","msg":"agent"}`,
    '03:04:05 agent Hooks have no effect. c1',
  ],
  ['not JSON', 'not JSON'],
] as const)('the line %s is readable', ([json, line]) => {
  expect(plain(logLine(json))).toBe(line);
});
