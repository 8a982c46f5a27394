import { resolve } from 'node:path';
import { projectContext, loadExtensions, loadPromptCommands, type Extensions } from '@varve/settings/agent';
import { settingsFor } from '../home/settings.ts';
import { untrustedLine } from '../home/untrusted-line.ts';
import { userHome, varveHome } from '../home/varve-home.ts';
import { columnsOf, padded } from '../terminal/columns.ts';
import { styled, type Printable } from '../terminal/output.ts';
import type { TerminalIo } from '../terminal/terminal-io.ts';

/** What one file adds: a line of the listing. */
interface Row {
  readonly kind: string;
  readonly name: string;
  readonly note: string;
}

/** Prints what files of a workspace and its user add to a new conversation, and what has no effect. */
export async function showExtensions(path: string | undefined, io: TerminalIo): Promise<void> {
  const workspace = resolve(io.cwd, path ?? '.');
  const places = { workspace, home: varveHome(io), userHome: userHome(io) };
  const settings = await settingsFor(io, { workspace });
  const { files, skipped, unread } = await projectContext(places);
  const disabledSkills = settings.get('skills.disabled') ?? [];
  const extensions = await loadExtensions({ ...places, disabledSkills });
  const { commands, warnings } = await loadPromptCommands(workspace, places);
  const rows: readonly Row[] = [
    ...files.map(({ path: name, bytes, isCut, origin }) => {
      return { kind: 'prompt', name, note: `${origin}, ${bytes} bytes${isCut ? ', cut' : ''}` };
    }),
    ...rowsOf(extensions),
    ...commands.map(({ name, path: note }) => ({ kind: 'command', name: `/${name}`, note })),
    ...Object.keys(settings.get('mcp_servers') ?? {}).map((name) => ({ kind: 'server', name, note: 'settings' })),
  ];
  for (const line of table(rows)) io.stdout.line(line);
  if (rows.length === 0) io.stderr.line(styled('dim', `No file gives instructions to an agent in ${workspace}.`));
  for (const { path: name, reason } of skipped) io.stderr.line(styled('yellow', `${name} is left out. ${reason}`));
  for (const name of unread) io.stderr.line(styled('yellow', `${name} is of another tool and has no effect.`));
  for (const line of [
    ...extensions.warnings,
    ...warnings,
    ...extensions.untrusted.map((each) => untrustedLine(each, io)),
  ])
    io.stderr.line(styled('yellow', line));
}

function rowsOf({ skills, subAgents, hooks = {}, servers }: Extensions): readonly Row[] {
  return [
    ...skills.map(({ name, path = '', executes, isTrusted }) => {
      const runs = executes.length === 0 ? '' : `, ${executes.join(' and ')} ${isTrusted ? 'trusted' : 'not trusted'}`;
      return { kind: 'skill', name, note: `${path}${runs}` };
    }),
    ...subAgents.map(({ name, path }) => ({ kind: 'agent', name, note: path })),
    ...Object.entries(hooks).flatMap(([event, groups]) =>
      groups.flatMap((group) =>
        group.hooks.map((hook) => ({
          kind: 'hook',
          name: event,
          note: hook.type === 'prompt' ? hook.prompt : hook.command,
        })),
      ),
    ),
    ...servers.map(({ name, directory, config }) => {
      return { kind: 'server', name, note: `${directory}${config.enabled === false ? ', disabled' : ''}` };
    }),
  ];
}

function table(rows: readonly Row[]): readonly Printable[] {
  const width = (field: 'kind' | 'name'): number => Math.max(0, ...rows.map((row) => columnsOf(row[field])));
  const [kindWidth, nameWidth] = [width('kind'), width('name')];
  return rows.map(({ kind, name, note }) => [
    styled('cyan', padded(kind, kindWidth)),
    `  ${padded(name, nameWidth)}  `,
    styled('dim', note),
  ]);
}
