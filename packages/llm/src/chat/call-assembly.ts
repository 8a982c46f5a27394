import { isJsonObject, parseJson } from '@varve/text';
import type { Delta } from '../delta.ts';
import { defaultReplyLimits } from '../http/reply-limits.ts';
import type { AssembledCall } from '../protocol/build-reply.ts';
import type { ReplySize } from '../protocol/protocol.ts';
import { openCalls, type OpenCall, type OpenCalls } from './open-calls.ts';
import type { WireCallPiece } from './wire-answer.ts';

/** Assembles the calls of one reply. */
export interface CallAssembly {
  readonly size: ReplySize;
  /** Adds a complete call, of a response that is not streamed. */
  addWhole(piece: WireCallPiece): readonly Delta[];
  /** Adds a piece of a call, which is identified by id, by index, or not at all. */
  addPiece(piece: WireCallPiece): readonly Delta[];
  /** Returns the deltas of calls without any arguments. */
  end(): readonly Delta[];
  /** Returns the calls in the order of their first pieces. */
  calls(): readonly AssembledCall[];
}

/** Starts the assembly of a reply's calls. Takes time in proportion to their length. */
export function callAssembly(): CallAssembly {
  const open = openCalls();
  let characters = 0;
  const start = ({ id, index }: WireCallPiece): OpenCall => open.begin(usableId(id), index);
  const extend = (call: OpenCall, piece: WireCallPiece, isWhole = false): readonly Delta[] => {
    const json = argumentText(piece.function?.arguments);
    const id = usableId(piece.id);
    if (call.id === undefined && id !== undefined) open.identify(call, id);
    const nameLength = call.name.length;
    call.name = nameWith(call, piece.function?.name ?? '');
    if ((call.extraContent ?? undefined) === undefined && piece.extra_content !== undefined) {
      call.extraContent = piece.extra_content;
      characters += JSON.stringify(piece.extra_content).length;
    }
    characters += json.length + call.name.length - nameLength + (piece.id?.length ?? 0);
    if (json === '') return [];
    call.pieces.push(json);
    if (!isWhole) call.end.push(json);
    return [announce(call, json)];
  };
  return {
    get size() {
      return { characters, calls: open.all.length };
    },
    addWhole: (piece) => extend(start(piece), piece, true),
    addPiece: (piece) => extend(callOf(open, piece) ?? start(piece), piece),
    end: () => open.all.filter((call) => !call.isAnnounced).map((call) => announce(call, '')),
    calls: () =>
      open.all.map(({ id, name, pieces, extraContent }) => ({
        id,
        name,
        arguments: joinArguments(pieces),
        extraContent,
      })),
  };
}

/** Returns the open call that a piece belongs to; undefined when the piece starts a new one. */
function callOf(open: OpenCalls, piece: WireCallPiece): OpenCall | undefined {
  const id = usableId(piece.id);
  const sameIndex = piece.index === undefined ? undefined : open.withIndex(piece.index);
  if (id !== undefined) return open.withId(id, piece.index) ?? continuedUnderNewId(sameIndex, piece);
  const current = piece.index === undefined ? open.all.at(-1) : sameIndex;
  return current && beginsAnother(current, piece) ? undefined : current;
}

/** Handles an id after the call's first piece, or a new id with every piece. A name would mean a new call. */
function continuedUnderNewId(sameIndex: OpenCall | undefined, piece: WireCallPiece): OpenCall | undefined {
  if (!sameIndex) return undefined;
  if (sameIndex.id === undefined) return beginsAnother(sameIndex, piece) ? undefined : sameIndex;
  return (piece.function?.name ?? '') === '' && !sameIndex.end.isComplete ? sameIndex : undefined;
}

/**
 * Returns true for a name after complete arguments. A server that repeats the name with every piece sends no arguments
 * with the last.
 */
function beginsAnother(current: OpenCall, piece: WireCallPiece): boolean {
  const name = piece.function?.name ?? '';
  if (name === '' || current.name === '' || !current.end.isComplete) return false;
  return name !== current.name || argumentText(piece.function?.arguments) !== '';
}

/** Names arrive in fragments before the first arguments, or whole with every piece. */
function nameWith(call: OpenCall, name: string): string {
  if (call.name === name || call.pieces.length > 0) return call.name || name;
  return call.name + name;
}

function announce(call: OpenCall, json: string): Delta {
  const isFirst = !call.isAnnounced;
  call.isAnnounced = true;
  return { kind: 'tool-call', index: call.position, ...(isFirst && { name: call.name }), arguments: json };
}

/** Servers without ids send blank ones or the word null. */
function usableId(id: string | undefined): string | undefined {
  return id === undefined || id.trim() === '' || id === 'null' ? undefined : id;
}

function argumentText(value: unknown): string {
  if (typeof value === 'string') return value;
  return value === undefined || value === null ? '' : JSON.stringify(value);
}

/**
 * Joins the pieces. When the result is not a JSON object, two habits of servers are tried: the whole text so far in
 * every piece, and an empty object before the real one. Without arguments, returns the empty object.
 */
function joinArguments(pieces: readonly string[]): string {
  const joined = pieces.join('');
  if (joined.trim() === '') return '{}';
  if (pieces.length < 2 || isObjectJson(joined)) return joined;
  const last = pieces.at(-1) ?? '';
  const isCumulative = pieces.every((piece, index) => piece.startsWith(pieces[index - 1] ?? ''));
  if (isCumulative && isObjectJson(last)) return last;
  const withoutFirst = pieces.slice(1).join('');
  return pieces[0] === '{}' && isObjectJson(withoutFirst) ? withoutFirst : joined;
}

/** Arguments of more values than a response may have are not parsed, and stay as they are. */
function isObjectJson(text: string): boolean {
  return isJsonObject(parseJson(text, defaultReplyLimits));
}
