import type { RawData, WebSocket } from 'ws';

/** Messages of a client, one at a time. */
export interface Inbox {
  /** Resolves with the next message, or with undefined after the socket has closed. One call at a time. */
  next(): Promise<string | undefined>;
}

/** Reads from the connection only while a message is awaited, so that a client cannot fill the memory. */
export function inboxOf(socket: WebSocket): Inbox {
  const messages: string[] = [];
  let deliver: (() => void) | undefined;
  const wake = (): void => {
    deliver?.();
    deliver = undefined;
  };
  socket.on('message', (data: RawData) => {
    if (socket.readyState !== socket.OPEN) return;
    messages.push(textOf(data));
    socket.pause();
    wake();
  });
  socket.once('close', wake);
  return {
    async next() {
      while (messages.length === 0 && socket.readyState === socket.OPEN) {
        const { promise, resolve } = Promise.withResolvers<void>();
        deliver = resolve;
        socket.resume();
        await promise;
      }
      return socket.readyState === socket.OPEN ? messages.shift() : undefined;
    },
  };
}

function textOf(data: RawData): string {
  if (Array.isArray(data)) return Buffer.concat(data).toString('utf8');
  return Buffer.isBuffer(data) ? data.toString('utf8') : Buffer.from(data).toString('utf8');
}
