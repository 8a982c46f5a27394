import { execFileSync } from 'node:child_process';
import { expect, test } from 'vitest';
import { openedTool } from '../testing/opened-tool.ts';
import { metadataOf } from '../../test/support/open-terminal.ts';
import { terminal } from './terminal.ts';

test('a change of what git executes is reported with the result, and at the end to the person', async () => {
  const notices: string[] = [];
  await using opened = await openedTool((workspace) => {
    for (const directory of ['.', 'lib']) execFileSync('git', ['init', '-q', directory], { cwd: workspace });
    return terminal({ pty: false, onNotice: (sentence) => notices.push(sentence) });
  });
  const noteOf = async (command: string): Promise<string> =>
    metadataOf(await opened.call({ command })).suffix.replace(/^.*\n?/, '');
  expect(await noteOf('git config user.name a; git remote add origin https://host.example/a.git')).toBe('');
  const prefix = 'While commands ran, what git, editors or agents execute has changed:';
  expect(await noteOf('git -C lib config core.fsmonitor evil; git config "x.a] evil.b" 1; touch .git/hooks/x')).toBe(
    `[${prefix} ".git/hooks", a setting in ".git/config", core.fsmonitor in "lib/.git/config".]`,
  );
  expect(await noteOf('rm .git/hooks/x; mkdir .vscode; git init -q new')).toBe(`[${prefix} ".git/hooks".]`);
  expect(await noteOf('echo 1 >.vscode/x')).toBe(`[${prefix} ".vscode".]`);
  await opened.tool.close();
  const [notice] = notices;
  expect(notice).toBe(
    `${prefix} ".git/hooks", a setting in ".git/config", core.fsmonitor in "lib/.git/config", ".vscode".`,
  );
});
