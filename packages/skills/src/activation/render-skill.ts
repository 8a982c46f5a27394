import { dirname } from 'node:path';
import type { Mask } from '@varve/text';
import { ToolError } from '@varve/tools';
import { runCommand, type ProgramSandbox } from '@varve/tools/workspace';
import { textParts } from '../dynamic-text.ts';
import type { Skill } from '../skill.ts';

/** Circumstances in which the commands of a skill run. */
export interface RenderContext {
  readonly workspace: string;
  readonly signal: AbortSignal;
  /** Replaces secrets in their output. */
  readonly mask: Mask;
  /** Walls around them. Default: none. */
  readonly sandbox?: ProgramSandbox | undefined;
}

/** Milliseconds of one command. */
const commandMs = 10_000;
/** Longest output of one command, in characters. */
const maxOutputLength = 50_000;
/** Commands of one skill that run; later ones stay text. */
const maxCommands = 20;

/**
 * Returns the text of a skill for the model. The commands of a trusted skill are replaced by their output, those of
 * another one stay text.
 *
 * @throws {ToolError} `aborted`.
 */
export async function renderSkill(skill: Skill, context: RenderContext): Promise<string> {
  const rendered: string[] = [];
  let count = 0;
  for (const part of textParts(skill.content)) {
    if ('text' in part) rendered.push(part.text);
    else if (skill.isTrusted && ++count <= maxCommands) rendered.push(await outputOf(part.command, context));
    else rendered.push(`(not executed: ${part.command})`);
  }
  return [rendered.join(''), ...inputNotes(skill), ...fileNotes(skill)].join('\n\n');
}

async function outputOf(command: string, { workspace, signal, mask, sandbox }: RenderContext): Promise<string> {
  try {
    const { stdout, stderr, exitCode, timedOut } = await runCommand(command, workspace, {
      signal,
      timeoutMs: commandMs,
      ...(sandbox && { sandbox }),
    });
    const output = mask(stdout).slice(0, maxOutputLength).trimEnd();
    if (exitCode === 0) return output;
    const end = timedOut ? `ran longer than ${commandMs / 1000} s` : `exited with ${exitCode}`;
    return `(${command} ${end}: ${mask(stderr).slice(0, 1000).trim()})`;
  } catch (error) {
    if (!(error instanceof ToolError) || error.code === 'aborted') throw error;
    return `(${command} could not be executed)`;
  }
}

function inputNotes({ inputs }: Skill): readonly string[] {
  if (inputs.length === 0) return [];
  const list = inputs.map(({ name, description }) => `- ${name}${description === undefined ? '' : `: ${description}`}`);
  return [`Inputs of this task. Ask the user for those that are not known:\n${list.join('\n')}`];
}

function fileNotes({ path, resources }: Skill): readonly string[] {
  if (path === undefined || resources.length === 0) return [];
  return [`Files of this skill, in ${dirname(path)}:\n${resources.map((file) => `- ${file}`).join('\n')}`];
}
