import { parseJson } from '@varve/text';
import { styled, type Printable, type Style } from './output.ts';

const styles: Readonly<Record<number, Style>> = { 40: 'yellow', 50: 'red', 60: 'red' };

/** Level of a request in the log of a server, and the first status of a failure. */
const info = 30;
const firstFailure = 400;

/**
 * Returns a line of a server's JSON log for a person: the time, and a request or what happened. Requests that only read
 * and succeed are undefined, because pages send several per second.
 */
export function logLine(json: string): Printable | undefined {
  const { level, time, msg, method, path, status, ms, ...fields } = recordOf(json);
  if (typeof level !== 'number') return json;
  const clock = styled('dim', typeof time === 'string' ? time.slice(11, 19) : '');
  const style = styles[level];
  const text = (value: string): Printable => (style ? styled(style, value) : value);
  if (msg !== 'request') return [clock, ' ', text([msg, ...detailsOf(fields)].join(' '))];
  const isFailure = Number(status) >= firstFailure;
  if (level === info && method === 'GET' && !isFailure) return undefined;
  const outcome = isFailure ? styled('red', String(status)) : String(status);
  return [clock, ' ', text(`${String(method)} ${String(path)} `), outcome, styled('dim', ` ${String(ms)} ms`)];
}

function recordOf(json: string): Readonly<Record<string, unknown>> {
  return Object(parseJson(json));
}

/** Returns the messages of errors, and other fields as they are. */
function detailsOf(fields: Readonly<Record<string, unknown>>): readonly string[] {
  return Object.entries(fields).flatMap(([name, value]) => {
    if (name === 'request_id') return [];
    if (typeof value === 'string') return [value];
    const message: unknown = Object(value)['message'];
    return [typeof message === 'string' ? message : JSON.stringify(value)];
  });
}
