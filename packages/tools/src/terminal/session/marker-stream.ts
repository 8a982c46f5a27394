import { markerStart } from './startup-file.ts';

/** Piece of output, or a marker that the shell prints before each prompt, and again as the prompt itself. */
export type Piece = { readonly kind: 'output'; readonly bytes: Buffer } | PromptMarker;

/** Number and exit status of the last command, and the directory, as the shell prints them. */
export interface PromptMarker {
  readonly kind: 'marker';
  /** True for the prompt itself, which repeats the marker before it. */
  readonly isPrompt: boolean;
  /** Random number of the line, as the program that printed the marker knows it; see `LineNumbers`. */
  readonly id: number;
  readonly exitCode: number;
  readonly directory: string;
}

const bell = 0x07;
const maxMarkerBytes = 32_768;

/** Finds the markers of one session in the output of its shell. Markers with another nonce are output. */
export class MarkerStream {
  readonly #start: Buffer;
  #held: Buffer = Buffer.alloc(0);

  constructor(nonce: string) {
    this.#start = Buffer.from(markerStart(nonce));
  }

  /** Returns the pieces in order. Bytes that may be the beginning of a marker are held until more bytes arrive. */
  push(bytes: Buffer): readonly Piece[] {
    let rest = this.#held.length > 0 ? Buffer.concat([this.#held, bytes]) : bytes;
    const pieces: Piece[] = [];
    for (;;) {
      const at = rest.indexOf(this.#start);
      if (at < 0) break;
      if (at > 0) pieces.push({ kind: 'output', bytes: rest.subarray(0, at) });
      rest = rest.subarray(at);
      const end = rest.indexOf(bell);
      if (end < 0 && rest.length <= maxMarkerBytes) {
        this.#held = rest;
        return pieces;
      }
      const length = end < 0 ? this.#start.length : end + 1;
      pieces.push(parseMarker(rest.subarray(this.#start.length, length - 1)) ?? output(rest.subarray(0, length)));
      rest = rest.subarray(length);
    }
    const held = overlap(rest, this.#start);
    if (rest.length > held) pieces.push(output(rest.subarray(0, rest.length - held)));
    this.#held = rest.subarray(rest.length - held);
    return pieces;
  }

  /** Ends the stream and returns the held bytes as output. */
  end(): Buffer {
    const held = this.#held;
    this.#held = Buffer.alloc(0);
    return held;
  }
}

function output(bytes: Buffer): Piece {
  return { kind: 'output', bytes };
}

function parseMarker(body: Buffer): Piece | undefined {
  const match = /^(P;)?(\d+);(\d+);(.*)$/s.exec(body.toString());
  if (match === null) return undefined;
  const [, prompt, id, exitCode, directory = ''] = match;
  return {
    kind: 'marker',
    isPrompt: prompt !== undefined,
    id: Number(id),
    exitCode: Number(exitCode),
    directory: decodeDirectory(directory),
  };
}

function decodeDirectory(directory: string): string {
  return directory.replaceAll(/%(07|0A|0D|1B|25)/g, (_, code: string) =>
    String.fromCodePoint(Number.parseInt(code, 16)),
  );
}

/** Returns the number of bytes at the end of `bytes` that are a prefix of `start`. */
function overlap(bytes: Buffer, start: Buffer): number {
  for (let length = Math.min(bytes.length, start.length - 1); length > 0; length -= 1) {
    if (bytes.subarray(bytes.length - length).equals(start.subarray(0, length))) return length;
  }
  return 0;
}
