import { isUtf8 } from 'node:buffer';
import { join } from 'node:path';
import type { Files } from './files.ts';
import type { Paths } from './paths.ts';

/** What lies in quarantine, file by file; what is no UTF-8 has one character per byte. */
export function* quarantinedTexts(files: Files, { quarantine }: Paths): Generator<string> {
  for (const name of files.list(quarantine)) {
    const bytes = files.read(join(quarantine, name));
    if (bytes) yield bytes.toString(isUtf8(bytes) ? 'utf8' : 'latin1');
  }
}
