import { z } from '@hono/zod-openapi';
import { lazy } from '@varve/events';
/** Command of a client, which the agent does not see. @see agent-server 1.43.1 OpenAPI, BashCommand */
export interface BashCommand {
  readonly command: string;
  readonly cwd: string | null;
  /** Seconds. */
  readonly timeout: number;
  readonly id: string;
  readonly timestamp: string;
  readonly kind: 'BashCommand';
}

/** Piece of a command's output; the last one has the exit code. @see agent-server 1.43.1 OpenAPI, BashOutput */
export interface BashOutput {
  readonly id: string;
  readonly timestamp: string;
  readonly command_id: string;
  /** Number of the piece, from 0. */
  readonly order: number;
  readonly exit_code: number | null;
  readonly stdout: string | null;
  readonly stderr: string | null;
  readonly kind: 'BashOutput';
}

/** Event of a command. Ids have 32 hex digits; timestamps are UTC with microseconds and `Z`. */
export type BashEvent = BashCommand | BashOutput;

/** Fields of a stored event that its name contains. */
export interface BashEventName {
  /** UTC microseconds as 20 digits, `20261121000158592142`. */
  readonly time: string;
  readonly kind: string;
  readonly commandId?: string | undefined;
  readonly id: string;
}

/** Returns the name under which an event is stored; names are in the order of time. */
export function nameOf(event: BashEvent): string {
  const time = event.timestamp.replaceAll(/\D/g, '');
  const command = event.kind === 'BashOutput' ? [event.command_id] : [];
  return [time, event.kind, ...command, event.id].join('_');
}

const pattern = /^(?<time>\d{20})_(?<kind>Bash[A-Za-z]+)(?:_(?<commandId>[0-9a-f]{32}))?_(?<id>[0-9a-f]{32})$/;

/** Parses the name of an event; undefined for other names. */
export function parseName(name: string): BashEventName | undefined {
  const { time, kind, commandId, id } = pattern.exec(name)?.groups ?? {};
  return time === undefined || kind === undefined || id === undefined ? undefined : { time, kind, commandId, id };
}

/** Returns UTC microseconds as `2026-11-21T00:01:58.592142Z`. */
export function timestampOf(utcMicros: number): string {
  const iso = new Date(Math.floor(utcMicros / 1000)).toISOString();
  return `${iso.slice(0, -1)}${String(utcMicros % 1000).padStart(3, '0')}Z`;
}

/** Command of a client. @see agent-server 1.43.1 OpenAPI, ExecuteBashRequest */
export const bashRequest = lazy(() =>
  z
    .object({ command: z.string(), cwd: z.string().nullable().default(null), timeout: z.int().default(300) })
    .openapi('ExecuteBashRequest'),
);
