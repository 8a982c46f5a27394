import { realpathSync } from 'node:fs';
import { isAbsolute, relative, resolve, sep } from 'node:path';
import type { BaseEvent } from '@varve/events';
import { ObservationEvent } from '@varve/events/kinds';
import type { Payload } from '@varve/events/payloads';
import { ToolError } from '@varve/tools';
import type { ActivatedSkill } from './activate-skills.ts';
import { matchesGlob } from './path-glob.ts';
import { renderSkill, type RenderContext } from './render-skill.ts';
import type { Skill } from '../skill.ts';

/**
 * Returns the texts of the skills whose paths a call names, for its result. Commands of a shell name no path. None when
 * the signal aborts: the result of the call counts more.
 *
 * @see software-agent-sdk path rules
 */
export async function pathRules(
  action: Payload | undefined,
  skills: readonly Skill[],
  { events, ...context }: RenderContext & { readonly events: readonly BaseEvent[] },
): Promise<readonly ActivatedSkill[]> {
  const rules = skills.filter(({ trigger }) => trigger?.type === 'path');
  const path = rules.length > 0 && action ? pathIn(action, context.workspace) : undefined;
  if (path === undefined) return [];
  const activated: ActivatedSkill[] = [];
  for (const skill of rules) {
    const globs = skill.trigger?.type === 'path' ? skill.trigger.paths : [];
    const glob = globs.find((pattern) => matchesGlob(pattern, path));
    if (glob === undefined || isPresent(skill.name, events)) continue;
    try {
      activated.push({
        name: skill.name,
        text: `${opening(skill.name)} ${path} is in "${glob}":\n\n${await renderSkill(skill, context)}`,
      });
    } catch (error) {
      if (error instanceof ToolError) return [];
      throw error;
    }
  }
  return activated;
}

/** Reports whether a result in view has the text of a rule. A rule whose text was forgotten applies again. */
export function isPresent(name: string, events: readonly BaseEvent[]): boolean {
  return events.some(
    (event) =>
      ObservationEvent.is(event) && event.extended_content.some(({ text }) => text.startsWith(`${opening(name)} `)),
  );
}

function opening(name: string): string {
  return `Skill ${name}, because`;
}

/** Returns the path that a call names, relative to the workspace; undefined outside of it. */
function pathIn(action: Payload, workspace: string): string | undefined {
  const { path, data } = action as { readonly path?: unknown; readonly data?: { readonly path?: unknown } };
  const named = path ?? data?.path;
  if (typeof named !== 'string' || named === '') return undefined;
  return inside(resolve(workspace, named), workspace) ?? inside(realPath(resolve(workspace, named)), workspace);
}

function inside(path: string, workspace: string): string | undefined {
  const fromRoot = relative(workspace, path);
  const isOutside = fromRoot === '' || fromRoot === '..' || fromRoot.startsWith(`..${sep}`) || isAbsolute(fromRoot);
  return isOutside ? undefined : fromRoot.split(sep).join('/');
}

function realPath(path: string): string {
  try {
    return realpathSync(path);
  } catch {
    return path;
  }
}
