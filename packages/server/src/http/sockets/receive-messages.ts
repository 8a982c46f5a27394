import { exceededJsonLimit } from '@varve/text';
import { jsonLimits } from '../route/request-body.ts';
import { isKeyMessage } from './authenticate.ts';
import type { Inbox } from './inbox.ts';
import type { SocketLimits } from '../../streams/limits.ts';

/** Failure to process a message, as its sender receives it. */
export interface MessageError {
  /** Kind of error, such as `ValidationError`. */
  readonly code: string;
  /** One sentence without secrets. */
  readonly detail: string;
}

/** Processing of the messages of one client. */
export interface MessageReceiver {
  /** Processes the JSON of a message; returns an error for the sender. */
  readonly receive: (value: unknown) => Promise<MessageError | undefined>;
  /** Sends an error; the socket stays open. */
  readonly reject: (error: MessageError) => void;
  /** Called when the client sends too many messages; it disconnects the client. */
  readonly onFlood: () => void;
  readonly limits: Pick<SocketLimits, 'messages' | 'messagesMs'>;
  /** Milliseconds of a clock that never goes back. */
  readonly monotonicNow: () => number;
}

/** Processes the messages of a client in order, one at a time, until the socket closes. */
export async function receiveMessages(inbox: Inbox, receiver: MessageReceiver): Promise<void> {
  const isFlood = floodCheck(receiver);
  for (;;) {
    const text = await inbox.next();
    if (text === undefined) return;
    if (isFlood()) return receiver.onFlood();
    const error = await received(text, receiver);
    if (error) receiver.reject(error);
  }
}

async function received(text: string, { receive }: MessageReceiver): Promise<MessageError | undefined> {
  const exceeded = exceededJsonLimit(text, jsonLimits);
  if (exceeded !== undefined) {
    return {
      code: 'ValidationError',
      detail: `The message exceeds the limit of ${jsonLimits[exceeded]} for its ${exceeded}.`,
    };
  }
  let value: unknown;
  try {
    value = JSON.parse(text);
  } catch {
    return { code: 'JSONDecodeError', detail: 'The message is not valid JSON.' };
  }
  return isKeyMessage(value) ? undefined : receive(value);
}

/** Counts messages within a window of time. */
function floodCheck({ limits: { messages, messagesMs }, monotonicNow }: MessageReceiver): () => boolean {
  let began = monotonicNow();
  let count = 0;
  return () => {
    const now = monotonicNow();
    if (now - began >= messagesMs) {
      began = now;
      count = 0;
    }
    count += 1;
    return count > messages;
  };
}
