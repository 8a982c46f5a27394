import { namedJson, toolName } from './named-json.ts';

/** `<function=NAME>{…}</function>`, as Llama's models write calls, some of them without `>` or with brackets. */
export const functionJson = namedJson({
  marks: ['<function='],
  head: /<function=\s?["']?(?<name>[A-Za-z_][\w.-]{0,199})["']?\s?(?:>\s{0,20}|(?=[{([]))[([]?\s{0,20}(?=\{)/y,
  tail: /\s{0,20}[)\]]?\s{0,20}>?\s{0,20}(?:<\/?function>?)?/y,
});

/** `[TOOL_CALLS]NAME[ARGS]{…}`, as Mistral's models write calls; servers may drop one of the two tokens. */
export const mistral = namedJson({
  marks: ['[TOOL_CALLS]'],
  head: new RegExp(
    String.raw`(?=\[TOOL_CALLS\]|(?<![\w.:-])[\w.:-]{1,200}\[(?:ARGS|CALL_ID)\])(?:\[TOOL_CALLS\]\s{0,9})?${toolName}\s{0,9}(?:\[CALL_ID\]\s?[\w-]{1,60}\s?)?(?:\[ARGS\]\s{0,9})?(?=\{)`,
    'y',
  ),
  tail: /\s{0,20}(?:\[\/TOOL_CALLS\])?/y,
});

/** A section of calls with special tokens around name and JSON, as Kimi's models write them. */
export const kimi = namedJson({
  marks: ['<|tool_calls_section_begin|>', '<|tool_call_begin|>'],
  head: new RegExp(
    String.raw`(?:<\|tool_calls?_section_begin\|>\s{0,20})?<\|tool_call_begin\|>\s{0,20}${toolName}\s{0,20}<\|tool_call_argument_begin\|>\s{0,20}(?=\{)`,
    'y',
  ),
  tail: /\s{0,20}(?:<\|tool_call_end\|>)?\s{0,20}(?:<\|tool_calls?_section_end\|>)?/y,
});

const token = (words: string): string => `<｜${words.replaceAll(' ', '[▁_ ]')}｜>`;

/** Special tokens around name and JSON, in a fence or not, as DeepSeek's V3 and R1 models write calls. */
export const deepseek = namedJson({
  marks: ['<｜tool▁calls▁begin｜>', '<｜tool▁call▁begin｜>', '<｜tool_calls_begin｜>'],
  head: new RegExp(
    String.raw`(?:${token('tool calls begin')}\s{0,20})?${token('tool call begin')}\s{0,20}(?:function\s{0,20}${token('tool sep')}\s{0,20})?${toolName}\s{0,20}(?:${token('tool sep')})?\s{0,20}(?:\x60{3}(?:json)?\s{0,20})?(?=\{)`,
    'y',
  ),
  tail: new RegExp(
    String.raw`\s{0,20}(?:\x60{3}\s{0,20})?(?:${token('tool call end')})?\s{0,20}(?:${token('tool calls end')})?`,
    'y',
  ),
});

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

/**
 * A label before the name and one before the JSON: `Action:` and `Action Input:` as in ReAct prompts, the flowers of
 * Qwen's agents, and `>>>NAME` of Functionary.
 */
export const labelled = namedJson({
  marks: [],
  isCode: true,
  head: new RegExp(
    String.raw`(?<![^\n])[ \t]*(?:\*{0,2}Action:\*{0,2}|✿FUNCTION✿:|>>>|✿FUNCTION✿)[ \t]*${toolName}[ \t]*(?:\n\s{0,20}(?:\*{0,2}Action Input:\*{0,2}|✿ARGS✿:?)?\s{0,20}|(?=\{))(?=\{)`,
    'y',
  ),
  tail: /\s{0,20}/y,
});
