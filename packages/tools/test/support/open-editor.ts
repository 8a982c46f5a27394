import { readFile, writeFile } from 'node:fs/promises';
import { join } from 'node:path';
import { textOf } from '@varve/events';
import { openedTool } from '../../src/testing/opened-tool.ts';

interface Answer {
  readonly text: string;
  readonly isError: boolean;
  readonly observation: Readonly<Record<string, unknown>>;
}

/** Editor in a workspace of its own, which disposing removes. */
export interface Editor extends AsyncDisposable {
  /** Absolute path of a name in the workspace. */
  at(name: string): string;
  write(name: string, text: string | Buffer): Promise<void>;
  read(name: string): Promise<string>;
  /** Calls the editor with the path of a name in the workspace. */
  do(command: string, name: string, fields?: object): Promise<Answer>;
}

/** Opens the editor that a function makes for a workspace. */
export async function openEditor(make: Parameters<typeof openedTool>[0]): Promise<Editor> {
  const opened = await openedTool(make);
  const at = (name: string): string => join(opened.workspace, name);
  return {
    at,
    write: (name, text) => writeFile(at(name), text),
    read: (name) => readFile(at(name), 'utf8'),
    async do(command, name, fields = {}) {
      const observation = await opened.call({ command, path: name.startsWith('/') ? name : at(name), ...fields });
      return { text: textOf(observation.content), isError: observation.is_error, observation };
    },
    [Symbol.asyncDispose]: () => opened[Symbol.asyncDispose](),
  };
}
