import { createHash } from 'node:crypto';
import { lazy, text, type Content } from '@varve/events';
import type { HostedConversation } from '@varve/host';
import type { UIMessageChunk } from 'ai';
import * as z from 'zod';
import { ReplyChunks } from './reply-chunks.ts';
import { isUserMessage, replyId } from './ui-messages.ts';

/** Message of `useChat`, as far as it is read. */
const sentMessage = lazy(() =>
  z.object({
    id: z.string(),
    role: z.enum(['user', 'assistant']),
    parts: z.array(
      z.looseObject({
        type: z.string(),
        text: z.string().optional(),
        url: z.string().optional(),
        state: z.string().optional(),
        approval: z
          .object({ id: z.string(), approved: z.boolean().optional(), reason: z.string().optional() })
          .optional(),
      }),
    ),
  }),
);

type SentMessage = z.output<ReturnType<typeof sentMessage>>;

/** Events that a stream contains: from a seq on, as a new message with an id or as the rest of one. */
interface Start {
  readonly from: number;
  readonly messageId?: string;
}

/**
 * Streams a reply for `useChat`. With the messages of `useChat`, of which the last one is read, a message of the user
 * is sent and the answers to requests for approval are stored, and the conversation runs. Without any, the stream
 * reconnects: it repeats the last reply from its beginning, and follows a run; undefined if there is none yet. A stream
 * that is cancelled ends no run.
 *
 * @throws {z.ZodError} for what is no message; {@link AgentError} as `Conversation.send` and `approve`.
 */
export async function uiMessageStream(
  hosted: HostedConversation,
  messages?: unknown,
): Promise<ReadableStream<UIMessageChunk> | undefined> {
  const { conversation, runs } = hosted;
  const { head } = conversation.state;
  if (messages !== undefined) {
    const sent = sentMessage().parse(Array.isArray(messages) ? messages.at(-1) : messages);
    if (sent.role === 'assistant') {
      await answerApprovals(hosted, sent);
      return streamFrom(hosted, { from: head });
    }
    await hosted.send(contentOf(sent), { run: true, id: eventId(sent.id, conversation.id) });
    return streamFrom(hosted, (await lastTurn(hosted, head)) ?? (await lastTurn(hosted, 0)) ?? { from: head });
  }
  await runs.resume();
  const turn = await lastTurn(hosted, 0);
  return turn && streamFrom(hosted, turn);
}

function streamFrom(hosted: HostedConversation, { from, messageId }: Start): ReadableStream<UIMessageChunk> {
  const chunks = new ReplyChunks();
  const ended = new AbortController();
  return new ReadableStream({
    start(controller) {
      const add = (added: readonly UIMessageChunk[]): void => {
        if (!ended.signal.aborted) for (const chunk of added) controller.enqueue(chunk);
      };
      add([{ type: 'start', ...(messageId !== undefined && { messageId }) }]);
      const sink = { addEvent: (event: Parameters<ReplyChunks['event']>[0]) => add(chunks.event(event)) };
      const follower = hosted.follow({ ...sink, addDelta: (delta) => add(chunks.delta(delta)) }, from);
      ended.signal.addEventListener('abort', () => void follower.finish().catch(() => undefined));
      const end = async (): Promise<void> => {
        await hosted.runs.idle(ended.signal);
        await follower.caughtUp();
        if (ended.signal.aborted) return;
        add([{ type: 'finish', finishReason: finishReasons.get(hosted.conversation.state.status) ?? 'stop' }]);
        ended.abort();
        controller.close();
      };
      end().catch((error: unknown) => controller.error(error));
    },
    cancel: () => ended.abort(),
  });
}

const finishReasons = new Map<string, 'tool-calls' | 'interrupted' | 'error'>([
  ['waiting_for_confirmation', 'tool-calls'],
  ['paused', 'interrupted'],
  ['error', 'error'],
]);

/** Returns where the last turn begins, if it begins at or after a seq. */
async function lastTurn({ conversation }: HostedConversation, since: number): Promise<Start | undefined> {
  let start: Start | undefined;
  for await (const { seq, event } of conversation.events({ from: since })) {
    if (isUserMessage(event)) start = { from: seq + 1, messageId: replyId(event.id) };
  }
  return start;
}

/** Answers that another page has given already are left out. */
async function answerApprovals(hosted: HostedConversation, { parts }: SentMessage): Promise<void> {
  const waiting = new Set(hosted.waiting().calls.map(({ event }) => event.id));
  const answers = parts.flatMap(({ state, approval }) =>
    state === 'approval-responded' && approval && waiting.has(approval.id) ? [approval] : [],
  );
  const approved = answers.flatMap(({ id, approved: isApproved }) => (isApproved === true ? [id] : []));
  if (approved.length > 0) await hosted.decide({ actionIds: approved, ifWaiting: true });
  for (const { id, approved: isApproved, reason = 'The user did not approve it.' } of answers) {
    if (isApproved !== true) await hosted.decide({ reject: reason, actionIds: [id], ifWaiting: true });
  }
  if (answers.length > 0) await hosted.runs.startOrContinue();
}

function contentOf({ parts }: SentMessage): readonly Content[] {
  return parts.flatMap(({ type, text: written, url }): readonly Content[] => {
    if (type === 'text' && written !== undefined) return [text(written)];
    return type === 'file' && url !== undefined ? [{ type: 'image', image_urls: [url], cache_prompt: false }] : [];
  });
}

/** Returns a UUID for the id of a message, so that one that is sent again is stored once. */
function eventId(messageId: string, conversationId: string): string {
  if (z.uuid().safeParse(messageId).success) return messageId;
  const hex = createHash('sha256').update(`${conversationId} ${messageId}`).digest('hex');
  return `${hex.slice(0, 8)}-${hex.slice(8, 12)}-8${hex.slice(13, 16)}-8${hex.slice(17, 20)}-${hex.slice(20, 32)}`;
}
