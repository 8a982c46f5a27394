import { expect, test } from 'vitest';
import { safeText } from './safe-text.ts';

test.for([
  ['a\u001b[31mb\u001b[0mc', 'abc'],
  ['\u001b]0;title\u0007x', 'x'],
  ['\u001b]8;;http://a\u001b\\link', 'link'],
  ['\u001bPq...\u001b\\x', 'x'],
  ['\u001b(Bx', 'x'],
  ['\u001b]0;no end', '0;no end'],
  ['\u001bP\u001b[31mno end', 'no end'],
  ['\u009b2Jx', 'x'],
  ['a\r\nb\rc\u2028d', 'a\nb\nc\nd'],
  ['a\tb', 'a    b'],
  ['\u202eabc\u2066d', 'abcd'],
  ['a\u0000\u0007\u007fb', 'ab'],
  ['\ud83ea', '\ufffda'],
  ['\u001b', ''],
  ['é 漢字 🦊', 'é 漢字 🦊'],
] as const)('%j is safe as %j', ([raw, safe]) => {
  expect(safeText(raw)).toBe(safe);
});
