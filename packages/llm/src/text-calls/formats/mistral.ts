import { namedJson, toolName } from './named-json.ts';

/** `[TOOL_CALLS]NAME[ARGS]{…}`, as Mistral's models write calls; servers may drop one of the two tokens. */
export const mistral = namedJson({
  marks: ['[TOOL_CALLS]'],
  head: new RegExp(
    String.raw`(?=\[TOOL_CALLS\]|(?<![\w.:-])[\w.:-]{1,200}\[(?:ARGS|CALL_ID)\])(?:\[TOOL_CALLS\]\s{0,9})?${toolName}\s{0,9}(?:\[CALL_ID\]\s?[\w-]{1,60}\s?)?(?:\[ARGS\]\s{0,9})?(?=\{)`,
    'y',
  ),
  tail: /\s{0,20}(?:\[\/TOOL_CALLS\])?/y,
});
