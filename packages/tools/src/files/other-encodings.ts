import { analyse } from 'chardet';
import iconv from 'iconv-lite';

/** Encodes a text in an encoding other than UTF-8. */
export function encode(text: string, encoding: string): Buffer {
  return iconv.encode(text, encoding);
}

/** Decodes bytes in an encoding other than UTF-8; a byte order mark stays part of the text. */
export function decode(bytes: Buffer, encoding: string): string {
  return iconv.decode(bytes, encoding, { stripBOM: false });
}

/** Returns encodings that a sample may have, the most probable first; the last one accepts every byte. */
export function guess(sample: Buffer): readonly string[] {
  const names = analyse(sample).map(({ name }) => name.toLowerCase());
  return [...names.filter((name) => !/^utf|^ascii/.test(name) && iconv.encodingExists(name)), 'iso-8859-1'];
}
