import { namedJson, toolName } from './named-json.ts';

const channel = String.raw`(?:<\|channel\|>\s{0,20})?(?:commentary|analysis)`;
const recipient = String.raw`to=${toolName}`;
const kind = String.raw`(?:\s{0,20}<\|constrain\|>)?\s{0,20}(?:json|code)?\s{0,20}(?:<\|message\|>)?\s{0,20}`;

/**
 * A message to the recipient `functions.NAME` in a channel, as gpt-oss writes calls; with its special tokens, or
 * without them, as servers that do not know the tokens send it.
 */
export const channels = namedJson({
  marks: ['<|channel|>', '<|start|>', 'assistantcommentary'],
  head: new RegExp(
    String.raw`(?:(?:<\|start\|>)?\s{0,20}assistant)?\s{0,20}(?:${channel}\s{0,20})?${recipient}(?:\s{0,20}${channel})?${kind}(?=\{)`,
    'y',
  ),
  tail: /\s{0,20}(?:<\|call\|>|<\|end\|>)?/y,
  splitLeading(leading) {
    const parts = leading.split(/(?:<\|start\|>)?assistant(?=<\|channel\|>|final|analysis|commentary|$)|<\|end\|>/);
    const of = (name: string): readonly string[] =>
      parts.flatMap((part) => {
        const match = new RegExp(String.raw`^\s*(?:<\|channel\|>\s*)?${name}\s*(?:<\|message\|>)?`).exec(part);
        return match ? [part.slice(match[0].length).trim()] : [];
      });
    const plain = parts.filter((part) => !/^\s*(?:<\|channel\|>\s*)?(?:analysis|commentary|final)/.test(part));
    return {
      reasoning: of('analysis').join('\n\n'),
      leadingText: [...plain, ...of('commentary'), ...of('final')].filter((part) => part.trim() !== '').join('\n\n'),
    };
  },
});
