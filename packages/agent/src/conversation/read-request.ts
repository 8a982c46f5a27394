import { eventCodec } from '@varve/events';
import { builtinKinds } from '@varve/events/kinds';
import type { ModelRequest } from '@varve/llm';
import type { LogReader } from '@varve/storage';
import { redactor, type Mask } from '@varve/text';
import type { Agent } from '../agent/agent.ts';
import { conversationTimeline } from '../log/conversation-state.ts';
import { offeredTool } from '../request/offered-tools.ts';
import { requestBuilder } from '../request/request.ts';

/** The log is masked already. */
const none = redactor([], { replacement: '' });
const mask: Mask = none.value;

/** Returns the request that a conversation's next step would send now, without taking its lease. */
export async function readRequest(
  log: LogReader,
  { tools, parameters }: Pick<Agent, 'tools' | 'parameters'>,
): Promise<ModelRequest> {
  const codec = eventCodec(builtinKinds);
  const timeline = conversationTimeline(codec);
  await timeline.load((from) => log.range(from));
  const made = tools({ conversationId: log.id, mask, redactor: none });
  const prepare = requestBuilder({ codec, tools: made.map(offeredTool), parameters, cacheKey: log.id, mask });
  await Promise.all(made.map((tool) => tool.close()));
  return prepare(timeline.read('view')).request;
}
