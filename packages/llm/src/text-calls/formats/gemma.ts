import { literalReader, modelJsonLimits } from '@varve/text';
import type { ScannedCall } from '../function-tags/scan-call.ts';
import { skipSpace } from '../function-tags/tags.ts';
import { callsToEnd, matchAt } from './scan.ts';
import type { TextCallReader } from './text-call-format.ts';

interface Variant {
  readonly head: RegExp;
  readonly tail: string;
  readonly syntax: Parameters<typeof literalReader>[1];
}

const variant = (open: string, tail: string, quote: string): Variant => ({
  head: new RegExp(String.raw`${open}call:\s?(?<name>[A-Za-z_][\w.-]{0,199})\s?(?=\{)`, 'y'),
  tail,
  syntax: {
    quotes: [{ open: quote, close: quote }],
    keySign: ':',
    words: { true: true, false: false, null: null },
    limits: modelJsonLimits,
  },
});

const variants = [
  variant(String.raw`<\|tool_call>\s?`, '<tool_call|>', '<|"|>'),
  variant(String.raw`<start_function_call>\s?`, '<end_function_call>', '<escape>'),
];

/** `call:NAME{key:value}` between special tokens, with a token around texts, as Gemma's models write calls. */
export const gemma: TextCallReader = {
  marks: ['<|tool_call>', '<start_function_call>'],
  read({ text, prose }) {
    const start = prose.search(/<\|tool_call>|<start_function_call>/);
    return callsToEnd(text, start, (at) =>
      variants.map((each) => readCall(text, at, each)).find((each) => each !== undefined),
    );
  },
};

function readCall(text: string, start: number, { head, tail, syntax }: Variant): ScannedCall | undefined {
  const opening = matchAt(head, text, start);
  if (!opening) return undefined;
  const bodyStart = start + opening[0].length;
  const read = literalReader(text, syntax).object(bodyStart);
  if (!read) return undefined;
  const at = skipSpace(text, read.end);
  const end = text.startsWith(tail, at) ? at + tail.length : at;
  const body = text.slice(bodyStart, read.end);
  return { name: opening.groups?.['name'] ?? '', parameters: [], json: JSON.stringify(read.value), body, end };
}
