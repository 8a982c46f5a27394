import type { WebSocket } from 'ws';

/** Pings a client, and disconnects it when it answered none since the ping before. */
export function keepAlive(socket: WebSocket, pingMs: number): void {
  let isAlive = true;
  const mark = (): void => void (isAlive = true);
  const timer = setInterval(() => {
    // While messages are processed, nothing is read, and no answer either.
    if (!isAlive && !socket.isPaused) {
      socket.terminate();
      return;
    }
    isAlive = false;
    socket.ping();
  }, pingMs);
  timer.unref();
  socket.on('pong', mark);
  socket.on('message', mark);
  socket.once('close', () => clearInterval(timer));
}
