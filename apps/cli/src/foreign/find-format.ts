import { formats, type LogFormat } from '@varve/interop';
import { CliError } from '../failures/cli-error.ts';
import { exitCodes } from '../failures/exit-codes.ts';

/** Capability that a command needs of a format. */
type Use = 'read' | 'write';

/** Returns the format with this name. @throws {CliError} for an unknown name. */
export function formatNamed(name: string, use: Use): LogFormat {
  const format = formats.find((known) => known.name === name && known[use] !== undefined);
  if (format) return format;
  throw new CliError(exitCodes.usage, `${name} is not a format.`, `The formats are: ${formatNames(use)}.`);
}

/** Returns the names of the formats that can be read or written. */
export function formatNames(use: Use): string {
  return ['varve', ...formats.filter((format) => format[use]).map(({ name }) => name)].join(', ');
}
