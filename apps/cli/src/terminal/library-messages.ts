import { Console } from 'node:console';
import { Writable } from 'node:stream';
import { styled, type Output } from './output.ts';

/**
 * Replaces the console, with which libraries print: their warnings quote servers and files, and would reach the
 * terminal as they are, or the standard output, which a program may read. Warnings and errors become safe lines; the
 * rest is discarded. Returns a function that restores the console.
 */
export function printLibraryMessages(output: Output): () => void {
  const { console: before } = globalThis;
  const stdout = streamOf(() => undefined);
  const stderr = streamOf((text) => output.line([styled('yellow', 'warning:'), ' ', text.trimEnd()]));
  globalThis.console = new Console({ stdout, stderr, colorMode: false });
  return () => (globalThis.console = before);
}

function streamOf(print: (text: string) => void): Writable {
  return new Writable({
    write(chunk, _encoding, done) {
      print(String(chunk));
      done();
    },
  });
}
