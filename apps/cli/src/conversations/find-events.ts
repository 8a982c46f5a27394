import { eventCodec, type BaseEvent } from '@varve/events';
import { isFact } from '@varve/events/facts';
import { AgentErrorEvent, builtinKinds, ConversationErrorEvent, ObservationEvent } from '@varve/events/kinds';
import { eventLines } from '@varve/events/text';
import { CliError } from '../failures/cli-error.ts';
import { exitCodes } from '../failures/exit-codes.ts';
import { openExistingStore } from '../home/open-configured-store.ts';
import { pathIn } from '../home/varve-home.ts';
import { fitted } from '../terminal/columns.ts';
import { styled } from '../terminal/output.ts';
import type { TerminalIo } from '../terminal/terminal-io.ts';
import { findConversations } from './find-conversations.ts';
import { metaFields } from './meta-fields.ts';

/** Options of `varve find`. */
export interface FindOptions {
  readonly store?: string;
  readonly tool?: string;
  readonly path?: string;
  readonly error?: true;
  readonly workspace?: string;
  readonly limit: number;
  readonly json?: true;
}

/** Prints the events of all conversations that match a text and all options, each as soon as it is found. */
export async function findEvents(text: string | undefined, options: FindOptions, io: TerminalIo): Promise<void> {
  const { tool, path, error, limit, workspace } = options;
  if (text === undefined && tool === undefined && path === undefined && !error)
    throw new CliError(exitCodes.usage, 'A text, --tool, --path or --error is missing.');
  await using store = await openExistingStore(io, options.store);
  const directory = workspace === undefined ? undefined : pathIn(io, workspace);
  const { items } = await findConversations(store, { limit: Infinity, workspace: directory });
  const codec = eventCodec(builtinKinds);
  const wanted = [text, tool, path].flatMap((value) => (value === undefined ? [] : [jsonPart(value)]));
  let count = 0;
  for (const { id, meta } of items) {
    let isNew = true;
    for await (const { seq, text: stored } of (await store.read(id)).range(0)) {
      // Most events are decided without parsing them; one with escapes of another writer is parsed.
      const json = stored.toLowerCase();
      if (!json.includes(String.raw`\u`) && !wanted.every((part) => json.includes(part))) continue;
      const event = codec.read(stored);
      const found = matchOf(event, text, options);
      if (found === undefined) continue;
      if (options.json) io.stdout.jsonLine(JSON.stringify({ id, seq, event: event.id, kind: event.kind, text: found }));
      else {
        if (isNew) io.stdout.line(['conversation ', styled('bold', id), ' ', metaFields(meta).title]);
        io.stdout.line(`  event ${seq}  ${fitted(found, 160)}`);
      }
      isNew = false;
      count += 1;
      if (count === limit) return io.stderr.line(`Showing the first ${limit}; use -n for more.`);
    }
  }
  if (count === 0) io.stderr.line('No event matches.');
}

/** Returns a text as it is in the JSON of an event, in small letters. */
function jsonPart(text: string): string {
  return JSON.stringify(text).slice(1, -1).toLowerCase();
}

/** Returns a text that describes an event that matches; undefined for another one. */
function matchOf(event: BaseEvent, text: string | undefined, options: FindOptions): string | undefined {
  const { tool, path, error } = options;
  if (tool !== undefined && !('tool_name' in event && event.tool_name === tool)) return undefined;
  if (error && !isError(event)) return undefined;
  const strings = stringsIn(event);
  const isPath = ([name, value]: readonly [string, string]): boolean =>
    name === 'path' && (value === path || value.endsWith(`/${path}`));
  if (path !== undefined && !strings.some(isPath)) return undefined;
  if (text === undefined) return eventLines(event)[0]?.text ?? strings.find(isPath)?.[1] ?? event.kind;
  // Facts repeat settings, tools and files.
  if (isFact(event)) return undefined;
  for (const [, value] of strings) {
    const at = value.toLowerCase().indexOf(text.toLowerCase());
    if (at >= 0) return `${at > 40 ? '…' : ''}${value.slice(Math.max(0, at - 40), at + 200)}`;
  }
  return undefined;
}

function isError(event: BaseEvent): boolean {
  if (AgentErrorEvent.is(event) || ConversationErrorEvent.is(event)) return true;
  if (!ObservationEvent.is(event)) return false;
  const { exit_code: code, is_error: isFailed } = event.observation as { exit_code?: unknown; is_error: boolean };
  return isFailed || (typeof code === 'number' && code > 0);
}

const links = new Set(['id', 'kind', 'parent_id', 'timestamp', 'source']);

/** Returns the texts in an event with the names of their fields. */
function stringsIn(event: BaseEvent): readonly (readonly [name: string, value: string])[] {
  const found: (readonly [string, string])[] = [];
  // Not recursive: an imported event may be nested as deeply as it likes.
  const open: [string, unknown][] = Object.entries(event).filter(([name]) => !links.has(name));
  for (const [name, value] of open) {
    if (typeof value === 'string') found.push([name, value]);
    else if (typeof value === 'object' && value !== null)
      for (const [key, item] of Object.entries(value))
        if (key !== 'kind') open.push([Array.isArray(value) ? name : key, item]);
  }
  return found;
}
