export { InteropError, type InteropErrorCode } from './error.ts';
