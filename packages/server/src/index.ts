export { ServerError, type ServerErrorCode } from './error.ts';
export { signInAddress } from './http/front-end/sign-in.ts';
export type { Listening } from './http/listen.ts';
export type { LogOptions } from './server-options.ts';
export { server, type Server } from './server.ts';
export type { ServerOptions } from './server-options.ts';
export { sessionKeys, type SessionKeys, type SessionKeysOptions } from './http/session-keys.ts';
export { frontEndDirectory, frontEndPackage, type FrontEndPlaces } from './http/front-end/front-end-package.ts';
export { optionsOfSettings } from './settings/options-of-settings.ts';
