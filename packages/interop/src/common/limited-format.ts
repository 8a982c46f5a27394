import { InteropError } from '../error.ts';
import type { LogFormat } from './log-format.ts';

/**
 * Returns a format that refuses logs that JavaScript cannot hold: values nested by thousands of levels, and texts
 * longer than a string can be.
 */
export function limitedFormat(format: LogFormat): LogFormat {
  return {
    ...format,
    ...(format.read && {
      read: async (files, options) => {
        try {
          return (await format.read?.(files, options)) ?? [];
        } catch (error) {
          throw refusal(error, format);
        }
      },
    }),
    ...(format.write && {
      write: (log) => {
        try {
          return format.write?.(log) ?? { files: [], dropped: [] };
        } catch (error) {
          throw refusal(error, format);
        }
      },
    }),
  };
}

function refusal(error: unknown, { name }: LogFormat): unknown {
  if (!(error instanceof RangeError)) return error;
  const message = `The log has too much text, or values nested too deeply, for the format ${name}.`;
  return new InteropError('unsupported', message, { cause: error });
}
