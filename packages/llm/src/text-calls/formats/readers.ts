import { argPairs } from './arg-pairs.ts';
import { functionTags } from './function-tags.ts';
import { gemma } from './gemma.ts';
import { invokes } from './invoke.ts';
import { json } from './json.ts';
import { channels, deepseek, functionJson, kimi, labelled, mistral } from './named-json-formats.ts';
import { namedTags } from './named-tags.ts';
import { pythonCalls } from './python-calls.ts';
import { taggedJson } from './tagged-json.ts';
import type { TextCallReader } from './text-call-format.ts';

/** Readers of calls in text by format, in the order in which they are tried. To add one: a reader here and a line. */
export const textCallReaders = {
  'function-tags': functionTags,
  'tool-call-json': taggedJson,
  'function-json': functionJson,
  invoke: invokes,
  'arg-pairs': argPairs,
  mistral,
  kimi,
  deepseek,
  channels,
  gemma,
  'python-calls': pythonCalls,
  'named-tags': namedTags,
  labelled,
  json,
} as const satisfies Readonly<Record<string, TextCallReader>>;

/**
 * Format in which models write calls into their text when their server does not turn the text into calls; each is
 * described at its reader.
 */
export type TextCallFormat = keyof typeof textCallReaders;

/** All formats, in the order in which they are tried. */
export const textCallFormats = Object.keys(textCallReaders) as readonly TextCallFormat[];
