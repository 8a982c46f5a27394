import type { ForeignFiles, ForeignLog, LogFormat, ReadOptions } from './common/log-format.ts';
import { InteropError } from './error.ts';
import { formats } from './formats.ts';

/** Options of {@link readLogs}. */
export interface ReadLogsOptions extends Partial<ReadOptions> {
  /** Format of the files; default: the first that recognises them. */
  readonly format?: LogFormat;
}

/**
 * Reads all logs in files of another system, each before its children. `Conversation.importLog` of `@varve/agent`
 * stores one.
 *
 * @throws {InteropError} `unsupported` if no format recognises the files or this one cannot be read; those of `read`.
 */
export async function readLogs(files: ForeignFiles, options: ReadLogsOptions = {}): Promise<readonly ForeignLog[]> {
  const { format = await formatOf(files), newId = () => crypto.randomUUID(), trusted } = options;
  if (!format?.read) throw new InteropError('unsupported', `The format of ${files.name} cannot be read.`);
  const logs = await format.read(files, { newId, ...(trusted && { trusted }) });
  return logs.flatMap(withChildren);
}

/** Returns the first format that recognises files; undefined if none does. */
export async function formatOf(files: ForeignFiles): Promise<LogFormat | undefined> {
  for (const format of formats) if (await format.matches?.(files)) return format;
  return undefined;
}

function withChildren(log: ForeignLog): readonly ForeignLog[] {
  return [log, ...log.children.flatMap(withChildren)];
}
