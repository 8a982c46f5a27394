import { expect, test } from 'vitest';
import { metadataOf, openTerminal, outputOf } from '../../test/support/open-terminal.ts';
import { statementLines } from './command-text.ts';

test.for([
  ['one after the other', 'a\n\n# note\nb; c\nd &', ['a\n\n# note', 'b; c', 'd &']],
  ['a here-document is part of its statement', 'cat <<E\nx\ny\nE\nls', ['cat <<E\nx\ny\nE', 'ls']],
  ['a semicolon does not make two', 'a;\nb', ['a;', 'b']],
] as const)('statements on separate lines are split: %s', ([, script, parts]) => {
  expect(statementLines(script)).toEqual(parts);
});

test.for([
  'a; b && c',
  'a && \\\n  b',
  'a; \\\n b',
  'a |\n b',
  'for i in 1 2\ndo\n  a\n  b\ndone',
  'f() {\n a\n b\n}',
  "echo 'x\ny'",
  'cat <<E && ls\nx\nE',
  '# note\na\n# more',
  "a\necho 'x",
  'a\nif',
] as const)('a single or invalid statement is one part: %j', (script) => {
  expect(statementLines(script)).toHaveLength(1);
});

test('with rejectMultiple, several statements are refused and listed; a single one runs', async () => {
  await using shell = await openTerminal(false, { rejectMultiple: true });
  expect(shell.tool.description).not.toContain('one script');
  const refused = await shell.call({ command: 'A=1\nB=2; C=3', timeout: 60 });
  expect(refused).toMatchObject({ is_error: true, metadata: { exit_code: -1 } });
  expect(outputOf(refused)).toMatch(/\(1\) A=1\n\(2\) B=2; C=3$/);
  const first = await shell.call({ command: 'if true\nthen\n  echo "[$A$B]"\nfi', timeout: 60 });
  expect(outputOf(first)).toBe('[]');
  const reset = await shell.call({ command: 'true\ntrue', reset: true, timeout: 60 });
  expect(reset).toMatchObject({ is_error: true });
  expect(metadataOf(await shell.call({ command: 'true', timeout: 60 })).pid).toBe(metadataOf(first).pid);
  expect(await shell.call({ command: 'a\nb', is_input: true, timeout: 60 })).toMatchObject({
    content: [{ text: expect.stringContaining('No program is running') }],
  });
});
