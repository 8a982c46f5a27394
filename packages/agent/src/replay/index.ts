export { diffRuns, type RunDifference } from './diff-runs.ts';
export { recordedModel, type RecordedModel } from './recorded-model.ts';
export { replayConversation, type Replayed, type ReplayOptions } from './replay-conversation.ts';
export { verifyRequests, type RequestCheck, type VerifyRequestsOptions } from './verify-requests.ts';
export type { MetaDifference, StoredSettings } from '../log/settings.ts';
export { verifySnapshots, type SnapshotCheck, type VerifySnapshotsOptions } from './verify-snapshots.ts';
export { readContext, type ContextUse, type ReadContextOptions } from './read-context.ts';
export { readSettings, verifyMeta } from './verify-meta.ts';
