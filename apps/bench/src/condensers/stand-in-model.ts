import { text, textOf } from '@varve/events';
import { estimateRequest, type ModelReply, type ModelRequest } from '@varve/llm';

/** Share of a request that a summary keeps, and its maximum length in UTF-16 units. */
const summaryShare = 0.05;
const maxSummaryLength = 6_000;

/** A model call for condensers that answers without a model, and counts what it would have cost. */
export class StandInModel {
  /** Tokens of all requests. */
  tokens = 0;
  calls = 0;

  /** Answers with a text of the length of a usual summary, or with a call of the only tool. */
  readonly call = async (request: ModelRequest): Promise<ModelReply> => {
    this.calls++;
    this.tokens += estimateRequest(request);
    const shown = request.messages.map(({ content }) => textOf(content)).join('\n');
    const summary = `## Summary\n${'word '.repeat(Math.min(maxSummaryLength, shown.length * summaryShare) / 5)}`;
    const [tool] = request.tools;
    const answer =
      tool?.name === 'rank_events'
        ? { ids: Array.from(shown.matchAll(/^\{"id":"(e\d+)"/gm), ([, id]) => id) }
        : { user_context: summary };
    const tool_calls = tool && [
      { id: `c${this.calls}`, name: tool.name, arguments: JSON.stringify(answer), origin: 'completion' as const },
    ];
    return {
      id: `stand-in-${this.calls}`,
      model: 'stand-in',
      message: {
        role: 'assistant',
        content: tool ? [] : [text(summary)],
        thinking_blocks: [],
        ...(tool_calls && { tool_calls }),
      },
      finish: tool ? 'tool-calls' : 'stop',
      latencyMs: 0,
      attempts: 1,
    };
  };
}
