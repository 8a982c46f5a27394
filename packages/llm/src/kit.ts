export { toWire } from './chat/to-wire.ts';
export type { WireMessage, WirePart } from './chat/wire-request.ts';
export { callControl, type CallControl } from './http/call-control.ts';
export { defaultReplyLimits } from './http/reply-limits.ts';
export { serverErrors, type ServerErrors } from './http/server-errors.ts';
export { buildReply, type AssembledModelReply, type AssembledReply } from './protocol/build-reply.ts';
export { originalNameDeltas, withOriginalNames } from './protocol/original-names.ts';
export { nativeModels } from './providers/native-models.ts';
export { toolNameLookup } from './dialects/tool-names.ts';
