import { AgentError, type Conversation } from '@varve/agent';
import { text, textOf, type Content } from '@varve/events';
import { presentObservation } from '@varve/events/payloads';
import { ToolError } from '@varve/tools';
import { resolve } from 'node:path';

/** A word of a message, in quotes, or with backslashes before blanks, as terminals paste a dropped file. */
const word = /(?<=^|\s)(?<at>@?)(?:'(?<single>[^'\n]+)'|"(?<double>[^"\n]+)"|(?<plain>(?:\\.|[^\s\\'"])+))/g;

/** Signs that end a sentence or a part of it, and no name of a file. */
const signs = new Set('.,:;!?)');

/** Word of a message that may be a path. */
export interface NamedFile {
  readonly path: string;
  /** True for one after `@`. */
  readonly isMention: boolean;
}

/** Returns the words of a message that may be paths of files. */
export function filesIn(message: string): readonly NamedFile[] {
  return Array.from(withoutCode(message).matchAll(word), ({ groups = {} }) => {
    const { at, single, double, plain } = groups;
    return { path: single ?? double ?? withoutSigns(plain ?? '').replaceAll(/\\(.)/g, '$1'), isMention: at === '@' };
  }).filter(({ path }) => path !== '');
}

function withoutSigns(path: string): string {
  return path.slice(0, path.split('').findLastIndex((character) => !signs.has(character)) + 1);
}

/** Code blocks are quotations: nothing in them is a path. */
function withoutCode(message: string): string {
  let fence: string | undefined;
  const lines = message.split('\n').filter((line) => {
    const mark = /^`{3,}/.exec(line)?.[0];
    const isCode = fence !== undefined || mark !== undefined;
    if (fence === undefined) fence = mark;
    else if (mark?.startsWith(fence)) fence = undefined;
    return !isCode;
  });
  return lines.join('\n');
}

/** Reports whether the name of a file is that of an image. */
export function isImageName(path: string): boolean {
  return /\.(?:png|jpe?g|gif|webp)$/i.test(path);
}

/**
 * Returns the files and directories of the workspace that a message names after `@`, as the file editor of the agent
 * shows them to it. What it does not show, such as a file outside of the workspace, is only text.
 */
export async function attachedFiles(message: string, conversation: Conversation): Promise<readonly Content[]> {
  const mentions = filesIn(message).filter(({ path, isMention }) => isMention && !isImageName(path));
  const views: Content[] = [];
  for (const path of new Set(mentions.map((mention) => mention.path))) {
    const view = await viewOf(path, conversation);
    if (view !== undefined) views.push(text(`The user attached @${path}:\n${view}`));
  }
  return views;
}

async function viewOf(path: string, conversation: Conversation): Promise<string | undefined> {
  const call = { command: 'view', path: resolve(conversation.workspace, path) };
  try {
    const seen = await conversation.executeTool({ name: 'file_editor', arguments: call });
    return seen.is_error ? undefined : textOf(presentObservation(seen));
  } catch (error) {
    // An agent without the editor reads files with its own tools.
    if (error instanceof AgentError || error instanceof ToolError) return undefined;
    throw error;
  }
}
