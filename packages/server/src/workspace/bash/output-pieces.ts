import type { Redactor } from '@varve/text';

/** Part of the output of a command. */
export interface OutputPiece {
  readonly stdout: string | null;
  readonly stderr: string | null;
}

/** Splits the output of a command into pieces. */
export interface OutputPieces {
  /** Adds bytes of a stream; returns the pieces that are full. */
  add(stream: 'stdout' | 'stderr', bytes: Buffer): readonly OutputPiece[];
  /** Returns the rest of both streams. */
  end(): OutputPiece;
}

/** Longest text of a stream in one piece, in UTF-16 units. @see agent-server 1.43.1, MAX_CONTENT_CHAR_LENGTH */
const maxLength = 1024 * 1024;

/** Bytes of a command's output that are kept; the rest is read and dropped. */
const maxBytes = 64 * 1024 * 1024;

/** Collects the masked output of one command, as UTF-8 in which other bytes are replaced. */
export function outputPieces(redactor: Pick<Redactor, 'stream'>): OutputPieces {
  const texts = { stdout: '', stderr: '' };
  const masks = { stdout: redactor.stream(), stderr: redactor.stream() };
  const decoders = { stdout: decoder(), stderr: decoder() };
  let kept = 0;
  let dropped = 0;
  return {
    add(stream, bytes) {
      const part = bytes.subarray(0, maxBytes - kept);
      kept += part.length;
      dropped += bytes.length - part.length;
      texts[stream] += masks[stream].push(decoders[stream].decode(part, { stream: true }));
      const pieces: OutputPiece[] = [];
      while (texts[stream].length > maxLength) {
        const end = cutOf(texts[stream]);
        pieces.push({ stdout: null, stderr: null, [stream]: texts[stream].slice(0, end) });
        texts[stream] = texts[stream].slice(end);
      }
      return pieces;
    },
    end() {
      const note = dropped > 0 ? `\n[${dropped} bytes of output left out]\n` : '';
      for (const stream of ['stdout', 'stderr'] as const) {
        texts[stream] += masks[stream].push(decoders[stream].decode()) + masks[stream].end();
      }
      return { stdout: texts.stdout || null, stderr: texts.stderr + note || null };
    },
  };
}

function decoder() {
  return new TextDecoder('utf-8', { ignoreBOM: true });
}

/** Returns the end of the first piece, which does not separate the two units of a character. */
function cutOf(text: string): number {
  return /[\uD800-\uDBFF]/.test(text.charAt(maxLength - 1)) ? maxLength - 1 : maxLength;
}
