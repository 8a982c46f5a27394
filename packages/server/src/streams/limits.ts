/** Limits of the sockets of a server. */
export interface SocketLimits {
  /** Milliseconds until a client without a key must have sent one. */
  readonly authenticationMs: number;
  /** Bytes that a client may send before it has sent a key, and number of such clients. */
  readonly unknownBytes: number;
  readonly unknownClients: number;
  /** Milliseconds between pings; a client that answers none between two of them is disconnected. */
  readonly pingMs: number;
  /** Bytes that may wait for a client; one that does not read them in time is disconnected. */
  readonly waitingBytes: number;
  /** Bytes that may wait for a client while its history is sent; reading of the history pauses above. */
  readonly historyBytes: number;
  /** Clients of one conversation, and of the events of commands. */
  readonly clients: number;
  /** Messages of one client within `messagesMs`. */
  readonly messages: number;
  readonly messagesMs: number;
}

/** @see agent-server 1.43.1: 10 seconds for the first message, a ping every 20 seconds, 50 subscribers */
export const socketLimits: SocketLimits = {
  authenticationMs: 10_000,
  unknownBytes: 64 * 1024,
  unknownClients: 100,
  pingMs: 20_000,
  waitingBytes: 16 * 1024 * 1024,
  historyBytes: 256 * 1024,
  clients: 50,
  messages: 200,
  messagesMs: 10_000,
};

/** Bytes of one message: as for the body of a request. */
export const maxMessageBytes = 32 * 1024 * 1024;

/** Codes with which a socket is closed. @see agent-server 1.43.1; RFC 6455 section 7.4 */
export const closeCodes = {
  notAuthenticated: 4001,
  notFound: 4004,
  /** The cursor is after the end of the log. */
  invalidCursor: 4008,
  stopping: 1001,
  flooding: 1008,
  failed: 1011,
  tooMany: 1013,
} as const;

/** Milliseconds that a client has to answer the end of its socket. */
export const closeMs = 5_000;
