export type { Access, Scope, ScopedKey } from './access.ts';
export { ServerError, type ServerErrorCode } from './error.ts';
export { signInAddress } from './http/front-end/sign-in.ts';
export type { Listening } from './http/listen.ts';
export { server, type Server } from './server.ts';
export type { ServerOptions } from './server-options.ts';
export { sessionKeys } from './http/session-keys.ts';
export { frontEndDirectory, frontEndPackage } from './http/front-end/front-end-package.ts';
export { optionsOfSettings } from './settings/options-of-settings.ts';
