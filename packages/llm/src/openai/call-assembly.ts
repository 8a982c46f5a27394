import type { Delta } from '../delta.ts';
import type { WireCallPiece } from './wire-answer.ts';

/** One call put together from its pieces. `id` is what the provider gave, if anything. */
export interface AssembledCall {
  readonly id: string | undefined;
  readonly name: string;
  readonly arguments: string;
  readonly extraContent: unknown;
}

/** Collects the calls of one reply. */
export interface CallAssembly {
  /** A complete call, as an answer that is not streamed has it. */
  addWhole(piece: WireCallPiece): readonly Delta[];
  /** A piece of a call, which may name its call by id, by index, or not at all. */
  addPiece(piece: WireCallPiece): readonly Delta[];
  /** Announces calls that came without any arguments. */
  end(): readonly Delta[];
  /** In the order in which their first pieces came. */
  calls(): readonly AssembledCall[];
}

interface OpenCall {
  id: string | undefined;
  readonly index: number | undefined;
  name: string;
  readonly pieces: string[];
  extraContent: unknown;
  isAnnounced: boolean;
}

/** An empty collection of calls, to be filled from one reply. */
export function callAssembly(): CallAssembly {
  const open: OpenCall[] = [];
  const start = ({ id, index }: WireCallPiece): OpenCall => {
    const call = { id: usableId(id), index, name: '', pieces: [], extraContent: undefined, isAnnounced: false };
    open.push(call);
    return call;
  };
  const extend = (call: OpenCall, piece: WireCallPiece): readonly Delta[] => {
    const json = argumentText(piece.function?.arguments);
    call.id ??= usableId(piece.id);
    call.name = nameWith(call, piece.function?.name ?? '');
    call.extraContent ??= piece.extra_content;
    if (json === '') return [];
    call.pieces.push(json);
    return [announced(call, open.indexOf(call), json)];
  };
  return {
    addWhole: (piece) => extend(start(piece), piece),
    addPiece: (piece) => extend(callOf(open, piece) ?? start(piece), piece),
    end: () => open.filter((call) => !call.isAnnounced).map((call) => announced(call, open.indexOf(call), '')),
    calls: () =>
      open.map(({ id, name, pieces, extraContent }) => ({
        id,
        name,
        arguments: joinedArguments(pieces),
        extraContent,
      })),
  };
}

/** The open call that a piece belongs to; absent when the piece begins a new one. */
function callOf(open: readonly OpenCall[], piece: WireCallPiece): OpenCall | undefined {
  const id = usableId(piece.id);
  const sameIndex = piece.index === undefined ? undefined : open.findLast((call) => call.index === piece.index);
  if (id !== undefined) {
    const sameId = open.findLast((call) => call.id === id && (call.index === piece.index || !hasBoth(call, piece)));
    return sameId ?? continuedUnderNewId(sameIndex, piece);
  }
  const current = piece.index === undefined ? open.at(-1) : sameIndex;
  return current && beginsAnother(current, piece) ? undefined : current;
}

function hasBoth(call: OpenCall, piece: WireCallPiece): boolean {
  return call.index !== undefined && piece.index !== undefined;
}

/** An id that comes after its call's first piece, or that changes with every piece; a name would mean a new call. */
function continuedUnderNewId(sameIndex: OpenCall | undefined, piece: WireCallPiece): OpenCall | undefined {
  if (!sameIndex) return undefined;
  if (sameIndex.id === undefined) return beginsAnother(sameIndex, piece) ? undefined : sameIndex;
  return (piece.function?.name ?? '') === '' && !isComplete(sameIndex) ? sameIndex : undefined;
}

/** A name after complete arguments; a server that repeats the name with every piece sends no arguments with the last. */
function beginsAnother(current: OpenCall, piece: WireCallPiece): boolean {
  const name = piece.function?.name ?? '';
  if (name === '' || current.name === '' || !isComplete(current)) return false;
  return name !== current.name || argumentText(piece.function?.arguments) !== '';
}

function isComplete({ pieces }: OpenCall): boolean {
  return pieces.at(-1)?.trimEnd().endsWith('}') === true && isObjectJson(pieces.join(''));
}

/** Names may come in fragments before the first argument piece, or whole with every piece. */
function nameWith(call: OpenCall, name: string): string {
  if (call.name === name || call.pieces.length > 0) return call.name || name;
  return call.name + name;
}

function announced(call: OpenCall, index: number, json: string): Delta {
  const isFirst = !call.isAnnounced;
  call.isAnnounced = true;
  return { kind: 'tool-call', index, ...(isFirst && { name: call.name }), arguments: json };
}

/** Blank ids and the word null are what servers send that have no id. */
function usableId(id: string | undefined): string | undefined {
  return id === undefined || id.trim() === '' || id === 'null' ? undefined : id;
}

function argumentText(value: unknown): string {
  if (typeof value === 'string') return value;
  return value === undefined || value === null ? '' : JSON.stringify(value);
}

/**
 * The pieces in a row; where only that is no JSON object, what servers meant that send the whole text so far with every
 * piece, or an empty object before the real one. No arguments at all are the empty object.
 */
function joinedArguments(pieces: readonly string[]): string {
  const joined = pieces.join('');
  if (joined.trim() === '') return '{}';
  if (pieces.length < 2 || isObjectJson(joined)) return joined;
  const last = pieces.at(-1) ?? '';
  const isCumulative = pieces.every((piece, index) => piece.startsWith(pieces[index - 1] ?? ''));
  if (isCumulative && isObjectJson(last)) return last;
  const withoutFirst = pieces.slice(1).join('');
  return pieces[0] === '{}' && isObjectJson(withoutFirst) ? withoutFirst : joined;
}

function isObjectJson(text: string): boolean {
  try {
    const value: unknown = JSON.parse(text);
    return typeof value === 'object' && value !== null && !Array.isArray(value);
  } catch {
    return false;
  }
}
