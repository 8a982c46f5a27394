import type { WebSocket } from 'ws';
import { closeCodes, closeMs } from '../../streams/limits.ts';

/**
 * Closes a socket, and ends its connection if the client does not answer. The answer is read even if the messages of
 * the client were not read at the moment.
 */
export function closeSocket(socket: WebSocket, reason: keyof typeof closeCodes, detail: string): void {
  if (socket.readyState === socket.CLOSED) return;
  socket.close(closeCodes[reason], detail);
  socket.resume();
  const timer = setTimeout(() => socket.terminate(), closeMs);
  timer.unref();
  socket.once('close', () => clearTimeout(timer));
}
