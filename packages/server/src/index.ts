export { ServerError, type ServerErrorCode } from './error.ts';
export { signInAddress } from './front-end/sign-in.ts';
export type { Listening } from './listen.ts';
export type { LogOptions } from './log-options.ts';
export { server, type Server } from './server.ts';
export type { ServerOptions } from './server-options.ts';
export { sessionKeys, type SessionKeys, type SessionKeysOptions } from './session-keys.ts';
