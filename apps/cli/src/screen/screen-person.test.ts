import { PassThrough } from 'node:stream';
import { expect, test } from 'vitest';
import { terminalIo } from '../terminal/terminal-io.ts';
import { questionsTo } from '../opening/questions-to.ts';
import { screenPerson } from './screen-person.ts';
import { Screen } from './screen.ts';

const nothing = (): void => undefined;

test('a host that is allowed for the session is asked about once, until the approvals end', async () => {
  const stdin = Object.assign(new PassThrough(), { isTTY: true, setRawMode: nothing });
  const stdout = Object.assign(new PassThrough({ encoding: 'utf8' }), { isTTY: true, columns: 80, rows: 24 });
  const io = terminalIo({ env: { TERM: 'xterm' }, cwd: '/', stdin, stdout, stderr: new PassThrough() });
  const streams = io.openScreen();
  if (!streams) throw new Error('The screen has no terminal.');
  using screen = new Screen(io, streams, () => 0);
  screen.start({});
  const questions = questionsTo(screenPerson(screen), io, { options: () => ({}) });
  let awaited = { host: '', keys: [''] };
  stdout.on('data', (drawn: string) => {
    if (drawn.includes(`connects to ${awaited.host}`)) for (const key of awaited.keys) stdin.write(key);
  });
  const answered = async (host: string, ...keys: string[]): Promise<boolean> => {
    awaited = { host, keys };
    return questions.allowsHost(host, '/');
  };
  expect(await answered('a.example', '\u001B[B', '\r')).toBe(true);
  expect(await questions.allowsHost('a.example', '/')).toBe(true);
  expect(await answered('b.example', '\r')).toBe(false);
  questions.endApprovals();
  expect(await answered('a.example', '\r')).toBe(false);
});
