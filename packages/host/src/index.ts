export { HostError, type HostErrorCode } from './error.ts';
export { httpStatusOf } from './http-status.ts';
export { createHost, type Host, type HostOptions, type NewConversation } from './hosting/host.ts';
export type { Wake } from './hosting/wake-facts.ts';
export type { HostingOptions } from './hosting/conversation-host.ts';
export {
  HostedConversation,
  type Decision,
  type HostedOptions,
  type WaitingCalls,
} from './live/hosted-conversation.ts';
export { EventFollower, type EventSink, type FollowedEvents } from './live/event-follower.ts';
export type { RunRequest, Work } from './live/execute-run.ts';
export type { GoalRuns } from './live/goal-runs.ts';
export type { RunLimits } from './live/run-limits.ts';
export type { Runs } from './live/runs.ts';
