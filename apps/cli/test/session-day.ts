import { execFileSync } from 'node:child_process';
import { readFile, writeFile } from 'node:fs/promises';
import { join } from 'node:path';
import { expect } from 'vitest';
import { scriptedServer, type ScriptedStep } from '@varve/llm/testing';
import { newHome } from './run-varve.ts';
import { keys, leaveWindow, type SessionWindow } from './session-window.ts';

/** What the walk needs of a window. */
export interface DayWindow extends Pick<SessionWindow, 'press' | 'shows'> {
  readonly ended: Promise<{ readonly stderr: string }>;
}

/** Terminal of the person. */
export interface DayTerminal<Window extends DayWindow = DayWindow> {
  /** Starts the command in a window of 100 columns and 30 rows. */
  readonly open: (args: readonly string[], home: string) => Promise<Window> | Window;
  /** Called when the window shows what the documents have a picture of. */
  readonly onPicture?: (name: string, window: Window) => Promise<void>;
}

const terminal = (command: string) => ({ calls: [{ name: 'terminal', arguments: { command } }] });
/** Creates a repository with a fault. */
async function project(): Promise<string> {
  const home = join(await newHome(), 'a home');
  execFileSync('git', ['init', '-q', '-b', 'main', home]);
  await writeFile(join(home, 'sum.js'), '// Adds two numbers.\nexport const sum = (a, b) => a - b;\n');
  return home;
}

const answer = `# Fixed

\`sum\` subtracted. It **adds** now:

\`\`\`js
sum(2, 2); // 4
\`\`\`
`;

/** Replies of the model; the second one and that after a rejection wait. */
function steps(home: string, [second, rejected]: readonly [Promise<void>, Promise<void>]): readonly ScriptedStep[] {
  const path = join(home, 'sum.js');
  const usage = { input_tokens: 5200, cache_read_tokens: 3900, output_tokens: 140 };
  return [
    { text: 'I read the file first.', usage, ...terminal('cat sum.js') },
    {
      usage,
      gate: second,
      calls: [{ name: 'file_editor', arguments: { command: 'str_replace', path, old_str: 'a - b', new_str: 'a + b' } }],
    },
    { usage, text: answer },
    { usage, ...terminal('git push origin main') },
    { usage, ...terminal('git push --force origin main') },
    { usage, text: 'I leave that to you.', expect: 'never force', gate: rejected },
    { usage, text: 'I see your question.' },
    { text: 'A long story begins', fault: { kind: 'hang', afterPieces: 3 } },
    { usage, text: 'A short one.', expect: 'briefly' },
    { usage, text: 'In the copy.', expect: 'In a copy' },
    { usage, text: 'Good morning.', expect: 'Another day' },
  ];
}

/** Screens of the walk, one after the other. */
class Walk {
  #text = '';

  /** Adds a screen from a row on. Times, ids and the rows that were scrolled out differ from run to run. */
  add(title: string, from: string, rows: string): void {
    const visible = rows.slice(rows.lastIndexOf(from)).trimEnd();
    const same = visible.replaceAll(/\d+:\d\d/g, '0:00').replaceAll(/\b[0-9a-f]{8}\b/g, 'ID');
    this.#text += `${'='.repeat(20)} ${title}\n${same}\n\n`;
  }

  /** All screens. */
  get text(): string {
    return this.#text;
  }
}

/** Works for a day: approves, rejects, queues, interrupts, goes back, copies, leaves and resumes. */
export async function workForADay<Window extends DayWindow>({ open, onPicture }: DayTerminal<Window>): Promise<void> {
  const home = await project();
  const gates = [Promise.withResolvers<void>(), Promise.withResolvers<void>()] as const;
  await using server = await scriptedServer(steps(home, [gates[0].promise, gates[1].promise]));
  const model = ['--base-url', server.url, '--model', 'qwen3-coder', '--sandbox', 'off'];
  const walk = new Walk();
  const window = await open([...model, '--confirm', 'auto'], home);
  await window.shows('sandbox: ');
  window.press('Fix sum.js', keys.enter);
  walk.add('a task is streamed', 'varve ', await window.shows(/I read the file first\.[^]*● waiting for the model/));
  gates[0].resolve();
  // All three replies count, and nothing runs.
  walk.add('it is done', 'varve ', await window.shows(/^(?![^]*●)[^]*15\.6k in/));
  expect(await readFile(join(home, 'sum.js'), 'utf8')).toContain('a + b');
  await onPicture?.('session', window);

  window.press('Publish it', keys.enter);
  walk.add('a call waits for approval', '› Publish it', await window.shows('Approve this tool call?'));
  await onPicture?.('approval', window);
  window.press('y', keys.enter);
  await window.shows('git push --force');
  await window.shows('Approve this tool call?');
  window.press('never force');
  walk.add('another one is rejected with a reason', '$ git push --force', await window.shows('never force'));
  window.press(keys.enter);
  await window.shows('rejected: never force');

  await window.shows('waiting for the model');
  window.press('And the tests?', keys.enter);
  walk.add('a message is queued', '$ git push --force', await window.shows(/› And the tests\?[^]*reads the message/));
  gates[1].resolve();
  await window.shows('I see your question.');
  expect(server.requests.at(-1)?.text).toContain('And the tests?');

  window.press('Tell a story', keys.enter);
  await window.shows('A long story');
  window.press(keys.escape);
  walk.add('a reply is interrupted', '› And the tests?', await window.shows(/Interrupted\.\s+─/));
  window.press(keys.escape);
  await window.shows('Press Esc again');
  window.press(keys.escape);
  walk.add('the conversation goes back', '› Tell a story', await window.shows('→ Tell a story'));
  window.press(keys.enter);
  await window.shows('continues from here');
  window.press(' briefly', keys.enter);
  await window.shows('A short one.');
  window.press('/tree', keys.enter);
  walk.add('it has two branches', '› Tell a story', await window.shows('Continue after this message'));
  await onPicture?.('tree', window);
  window.press(keys.escape);

  await window.shows(/─\n\n─/);
  window.press('/fork', keys.enter);
  await window.shows('This is a copy');
  window.press('In a copy', keys.enter);
  walk.add('it continues in a copy', 'This is a copy', await window.shows(/^(?![^]*●)[^]*In the copy\./));
  window.press('/quit', keys.enter);
  const { stderr } = await window.ended;
  expect(stderr).toMatch(/Resume with: .*varve resume [0-9a-f]{32}/);

  const next = await open(['--continue'], home);
  await next.shows('In the copy.');
  next.press('Another day', keys.enter);
  walk.add('it is resumed the next day', '› In a copy', await next.shows(/^(?![^]*●)[^]*Good morning\./));
  await leaveWindow(next);
  server.assertDone();
  await expect(walk.text).toMatchFileSnapshot('golden/session/day.txt');
}
