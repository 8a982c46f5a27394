import { propertiesOf } from '@varve/text';
import { readCalls } from '../../src/text-calls/read-calls.ts';
import { scanReply } from '../../src/text-calls/function-tags/scan-reply.ts';
import { writeCall } from '../../src/text-calls/function-tags/write-call.ts';
import { callableTools, type AnyCall } from './any-calls.ts';

const tools = new Map(callableTools.map((tool) => [tool.name, tool]));
const names = new Set(Object.keys(propertiesOf(callableTools[0]?.parameters ?? {})));
const known = { isTool: (name: string) => tools.has(name), isParameter: (name: string) => names.has(name) };

/** Writes calls as text and reads them back, without a model. */
export function readBack(made: readonly AnyCall[]): readonly AnyCall[] {
  const whole = made.map((call) => writeCall({ ...call, arguments: JSON.stringify(call.arguments) })).join('\n');
  const scanned = scanReply(whole, { knownIn: () => known, maxCalls: Infinity });
  const { calls, invalidCalls } = readCalls(scanned.calls, { tools, replyId: 'reply' });
  const problems = Object.values(invalidCalls);
  if (problems.length > 0) throw new Error(problems.join(' '));
  return calls.map((call) => ({ name: call.name, arguments: JSON.parse(call.arguments) as AnyCall['arguments'] }));
}
