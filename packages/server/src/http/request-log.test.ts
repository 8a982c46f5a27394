import { expect, test } from 'vitest';
import { loggerFor } from './request-log.ts';

test('a line of the log is printable JSON, whatever an error contains', () => {
  const lines: string[] = [];
  const message = 'a\u001B]0;x\u0007b\u009B2J\u202Ec\u2028d\u007F\nf';
  loggerFor({ level: 'info', stream: { write: (line) => lines.push(line) } }, String).error(
    { err: new Error(message) },
    message,
  );
  const [line = ''] = lines;
  expect(lines).toHaveLength(1);
  expect(line.slice(0, -1)).not.toMatch(/[\p{C}\p{Zl}\p{Zp}]/u);
  expect(JSON.parse(line)).toMatchObject({ msg: message, err: { message } });
});
