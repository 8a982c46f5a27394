import { namedJson, toolName } from './named-json.ts';

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
