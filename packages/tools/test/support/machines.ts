import { redactor } from '@varve/text';
import { onTestFinished } from 'vitest';
import type { Tool } from '../../src/contract/tool.ts';
import { fileEditor } from '../../src/file-editor/file-editor.ts';
import { remoteFileEditor } from '../../src/remote/remote-tools.ts';
import type { SearchOptions } from '../../src/search/file-search.ts';
import { findRipgrep } from '../../src/search/ripgrep.ts';
import { remoteWorkspace } from '../../src/workspace/remote-workspace.ts';
import type { Workspace } from '../../src/workspace/workspace.ts';
import { workspaceServer } from './workspace-server.ts';

/** Machines on which a search is tested: functions that return its options for the directory of a test. */
export const searchedMachines: Readonly<Record<string, (directory: string) => Promise<SearchOptions>>> = {
  'this machine': async () => ({}),
  async 'an agent-server'(directory) {
    // The ripgrep of the tests need not be on the search path.
    const ripgrep = await findRipgrep(undefined, process.env['PATH']);
    return { ripgrep, workspace: await workspaceThere(directory) };
  },
};

/** Editors of the machines: functions that return one for the directory of a test. */
export const editors: Readonly<Record<string, (directory: string) => Promise<Tool>>> = {
  'this machine': async () => fileEditor(),
  'an agent-server': async (directory) =>
    remoteFileEditor({ workspace: await workspaceThere(directory), redactor: redactor([], { replacement: '' }) }),
};

async function workspaceThere(directory: string): Promise<Workspace> {
  const server = await workspaceServer();
  onTestFinished(() => server[Symbol.asyncDispose]());
  return remoteWorkspace({ url: server.url, directory, pollMs: 1 });
}
