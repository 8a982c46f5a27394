export { replayConversation } from './replay-conversation.ts';
export { verifyRequests, type RequestCheck } from './verify-requests.ts';
export { isUnfinishedImport, type MetaDifference } from '../log/settings.ts';
export {
  logVerifier,
  type LogVerifier,
  type SnapshotCheck,
  currentSettings,
  readSettings,
  type FoldedSettings,
} from './verify-meta.ts';
export { FinishText } from '../stream/finish-text.ts';
export { isAnswered } from '../run/last-reply.ts';
export { withoutAnswer } from '../run/without-answer.ts';
export { readContext, type ContextUse, readRequest } from './read-context.ts';
export { diffPositions, readPosition } from './log-position.ts';
export { readCost, type LogCost, type StepCost } from './read-cost.ts';
export { type CacheBreak } from './cache-breaks.ts';
export { evidenceProjection, type WorkRecord } from '../log/projections/evidence-projection.ts';
export { evidenceOf } from '../run/evidence.ts';
export { replayRules, type RuledCall } from './replay-rules.ts';
export { policiesProjection, type Policies } from '../log/projections/policies-projection.ts';
export { settingsProjection } from '../log/projections/settings-projection.ts';
export { repairConversation, type ConversationRepair } from '../conversation/repair-conversation.ts';
