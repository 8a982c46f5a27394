import fc from 'fast-check';
import { expect, test } from 'vitest';
import type { ScriptedTurn } from '@varve/llm/testing';
import { answered } from './asked-run.ts';

const commands = ['touch a', 'touch b', 'mkdir -p sub', 'cd sub', 'cd ..', 'rm -f a', 'echo x > a'];
const step = fc.record({ command: fc.constantFrom(...commands), answer: fc.constantFrom('s', 'y', 'n no', 'q') });

/** Directory after a command that ran: each command starts in the one that the last one left. */
function after(command: string, from: string, made: Set<string>): string {
  if (command === 'mkdir -p sub') made.add(`${from}/sub`);
  if (command === 'cd sub') return made.has(`${from}/sub`) ? `${from}/sub` : from;
  return command === 'cd ..' ? from.replace(/\/[^/]*$/, '') : from;
}

test('every command is asked about, unless the same one was approved for the session in the same directory', async () => {
  await fc.assert(
    fc.asyncProperty(fc.array(step, { minLength: 2, maxLength: 12 }), async (steps) => {
      const granted = new Set<string>();
      const [made, answers] = [new Set<string>(), [] as string[]];
      let directory = '';
      for (const { command, answer } of steps) {
        // The parent of the workspace is not a place for the files of a test.
        fc.pre(command !== 'cd ..' || directory !== '');
        const key = `${directory} ${command}`;
        if (!granted.has(key)) answers.push(answer);
        if (!granted.has(key) && answer === 'q') break;
        if (!granted.has(key) && answer === 's') granted.add(key);
        if (granted.has(key) || answer === 'y') directory = after(command, directory, made);
      }
      const turns = steps.map(({ command }): ScriptedTurn => ({
        calls: [{ name: 'terminal', arguments: { command } }],
      }));
      const run = await answered(turns, answers, { env: { TERM: 'xterm' }, isTTY: true });
      expect([run.left, run.asked()]).toEqual([[], answers.length]);
    }),
    { numRuns: 60 },
  );
});
