import { SourceError, listSource, readSource, splitFrontMatter, type SourceRoot } from '@varve/skills';
import { commandFileIn } from '../trust/command-file.ts';
import type { TrustDirectories } from '../trust/trust-subject.ts';
import { trustedParts } from './trusted-parts.ts';

/** Message that a person sends by its name: a Markdown file. */
export interface PromptCommand {
  readonly name: string;
  readonly path: string;
  /** One line; empty if the file has none. */
  readonly description: string;
  /** Name of the arguments for the help. */
  readonly argument?: string;
  /** Text with `$ARGUMENTS` and `$1` to `$9`. */
  readonly template: string;
}

/** Commands of files, and the files that cannot be used. */
export interface PromptCommands {
  readonly commands: readonly PromptCommand[];
  /** One sentence each, with names from the directories. */
  readonly warnings: readonly string[];
}

/** File with a command. */
interface CommandFile {
  readonly name: string;
  readonly path: string;
  readonly text: string;
}

/**
 * Loads the commands of a user, then those of the workspace and the repository around it, as far as a person has
 * trusted them as they are: `commands/NAME.md` in `.varve` and `.claude`. Of two with one name the first is used.
 */
export async function loadPromptCommands(workspace: string, directories: TrustDirectories): Promise<PromptCommands> {
  const { home, userHome } = directories;
  const { trusted } = await trustedParts(workspace, directories);
  const ofProjects = trusted
    .filter(({ configuration }) => configuration.scope === 'project')
    .toReversed()
    .flatMap(({ configuration }) =>
      configuration.files.flatMap(({ path, bytes }): readonly CommandFile[] => {
        const name = commandFileIn(path);
        return name === undefined ? [] : [{ name, path, text: Buffer.from(bytes).toString('utf8') }];
      }),
    );
  const warnings: string[] = [];
  const ofUser = [
    ...(await userFiles({ directory: home, scope: 'user' }, 'commands', warnings)),
    ...(userHome === undefined
      ? []
      : await userFiles({ directory: userHome, scope: 'user' }, '.claude/commands', warnings)),
  ];
  const commands = new Map<string, PromptCommand>();
  for (const file of [...ofUser, ...ofProjects]) {
    if (commands.has(file.name)) continue;
    const command = await parsed(file, warnings);
    if (command) commands.set(file.name, command);
  }
  return { commands: [...commands.values()], warnings };
}

/** Returns the message of a command: the arguments take the place of their names, or follow a text without them. */
export function promptOf({ template }: Pick<PromptCommand, 'template'>, typed: string): string {
  const words = typed.split(/\s+/);
  const names = /\$(?:ARGUMENTS|[1-9])/g;
  if (!names.test(template)) return typed === '' ? template : `${template}\n\n${typed}`;
  return template.replaceAll(names, (name) =>
    name === '$ARGUMENTS' ? typed : (words[Number(name.slice(1)) - 1] ?? ''),
  );
}

async function userFiles(root: SourceRoot, directory: string, warnings: string[]): Promise<readonly CommandFile[]> {
  const files: CommandFile[] = [];
  for (const entry of await listSource(root, directory)) {
    const name = commandFileIn(`.varve/commands/${entry.name}`);
    if (name === undefined) continue;
    const place = `${directory}/${name}.md`;
    try {
      const bytes = await readSource(root, place);
      if (bytes) files.push({ name, path: `${root.directory}/${place}`, text: bytes.toString('utf8') });
    } catch (error) {
      warnings.push(problemOf(error, place));
    }
  }
  return files;
}

async function parsed({ name, path, text }: CommandFile, warnings: string[]): Promise<PromptCommand | undefined> {
  try {
    const { fields, body } = await splitFrontMatter(text);
    const written = fields['argument-hint'];
    // A word in brackets is a list in YAML.
    const hint = Array.isArray(written) ? `[${written.join(', ')}]` : written;
    return {
      name,
      path,
      description: typeof fields['description'] === 'string' ? fields['description'] : firstLine(body),
      ...(typeof hint === 'string' && { argument: hint }),
      template: body,
    };
  } catch (error) {
    warnings.push(problemOf(error, path));
    return undefined;
  }
}

function firstLine(body: string): string {
  return body.split('\n', 1)[0]?.replace(/^#+ /, '').slice(0, 100) ?? '';
}

function problemOf(error: unknown, path: string): string {
  if (error instanceof SourceError) return `${path}: ${error.message}`;
  throw error;
}
