import { readFile } from 'node:fs/promises';
import { parseJson } from '@varve/text';
import { CliError } from '../failures/cli-error.ts';
import { exitCodes } from '../failures/exit-codes.ts';
import { fileProblem } from '../failures/file-problem.ts';
import { settingsFor } from '../home/settings.ts';
import { pathIn } from '../home/varve-home.ts';
import type { TerminalIo } from '../terminal/terminal-io.ts';
import { flagsOf } from '../opening/run-flags.ts';
import type { RunOptions } from '../opening/run-options.ts';

/**
 * Returns the options with the schema of `--output-schema` as that of the tool that ends the work, whose arguments are
 * checked before they are stored. A reply without calls is no answer then.
 *
 * @throws {CliError} `usage` for a file that cannot be read, and for one that is not a JSON object.
 */
export async function withOutputSchema(options: RunOptions, io: TerminalIo): Promise<RunOptions> {
  const { outputSchema: file, set = [], textReply = 'continue' } = options;
  if (file === undefined) return options;
  const responseSchema = await schemaIn(pathIn(io, file));
  const workspace = pathIn(io, options.workspace ?? '.');
  const settings = await settingsFor(io, { workspace, flags: flagsOf(options) });
  const tools = { ...settings.get('tools.options'), finish: { responseSchema } };
  return { ...options, textReply, set: [...set, `tools.options=${JSON.stringify(tools)}`] };
}

async function schemaIn(path: string): Promise<object> {
  const text = await readFile(path, 'utf8').catch((error: unknown) => {
    throw new CliError(exitCodes.usage, fileProblem(path, 'read', error));
  });
  const schema = parseJson(text);
  if (typeof schema === 'object' && schema !== null && !Array.isArray(schema)) return schema;
  throw new CliError(exitCodes.usage, `${path} contains no JSON Schema.`, 'It is {"type": "object", "properties": …}.');
}
