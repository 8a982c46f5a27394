import type { EventCodec } from '@varve/events';
import type { TaskItem } from '@varve/events/payloads';
import {
  blockedProjection,
  filesProjection,
  pendingProjection,
  statsProjection,
  statusProjection,
  taskListProjection,
  Timeline,
  viewProjection,
  type Blocked,
  type ExecutionStatus,
  type Files,
  type PendingCall,
  type Projection,
  type Stats,
  type Status,
  type View,
} from '@varve/events/projections';
import { tasksProjection, type TaskRecord } from './projections/tasks-projection.ts';
import { goalProjection, type GoalState } from './projections/goal-projection.ts';
import { activityProjection, type Activity } from './projections/activity-projection.ts';
import { controlProjection, type RunControlRecord } from './projections/control-projection.ts';
import { contextProjection, type ContextState } from './projections/context-projection.ts';
import { evidenceProjection, type WorkRecord } from './projections/evidence-projection.ts';
import { directoriesProjection } from './projections/directories-projection.ts';
import { policiesProjection, type Policies } from './projections/policies-projection.ts';
import { settingsProjection, type LoggedSettings } from './projections/settings-projection.ts';
import { stopProjection, type Stops } from './projections/stop-projection.ts';
import { overflowProjection, type Overflow } from '../stuck/overflow-projection.ts';
import { toolsetsProjection, type Toolsets } from './projections/toolsets-projection.ts';

/** State of a conversation after a number of events of its log. Immutable. */
export interface ConversationState {
  /** Number of events folded. */
  readonly head: number;
  /** Last event of the active branch. */
  readonly leafId?: string;
  readonly status: ExecutionStatus;
  readonly error?: NonNullable<Status['error']>;
  readonly title?: string;
  readonly lastUserMessageId?: string;
  readonly stats: Stats;
  /** Milliseconds of all runs; a run in progress counts up to its last recorded reply or effect. */
  readonly activeMs: number;
  /** Calls without a result, oldest first. */
  readonly pending: readonly PendingCall[];
  readonly taskList: readonly TaskItem[];
  /** Events that the model may see now. */
  readonly view: View;
}

/** Projections of a conversation's log. */
type ConversationProjections = {
  readonly status: Projection<unknown, Status>;
  readonly stats: Projection<unknown, Stats>;
  readonly activity: Projection<unknown, Activity>;
  readonly toolsets: Projection<unknown, Toolsets>;
  readonly policies: Projection<unknown, Policies>;
  readonly settings: Projection<unknown, LoggedSettings>;
  readonly directories: Projection<unknown, readonly string[]>;
  readonly overflow: Projection<unknown, Overflow>;
  readonly context: Projection<unknown, ContextState>;
  readonly stops: Projection<unknown, Stops>;
  readonly tasks: Projection<unknown, readonly TaskRecord[]>;
  readonly control: Projection<unknown, { readonly last?: RunControlRecord }>;
  readonly goal: Projection<unknown, { readonly goal?: GoalState }>;
  readonly blocked: Projection<unknown, Blocked>;
  readonly evidence: Projection<unknown, WorkRecord>;
  readonly files: Projection<unknown, Files>;
  readonly pending: Projection<unknown, readonly PendingCall[]>;
  readonly taskList: Projection<unknown, readonly TaskItem[]>;
  readonly view: Projection<unknown, View>;
};

/** Incremental fold of a conversation's log. */
export type ConversationTimeline = Timeline<ConversationProjections>;

/** Returns a timeline without events. */
export function conversationTimeline(codec: EventCodec): ConversationTimeline {
  return new Timeline({
    codec,
    projections: {
      status: statusProjection,
      stats: statsProjection,
      activity: activityProjection,
      toolsets: toolsetsProjection,
      policies: policiesProjection,
      settings: settingsProjection,
      directories: directoriesProjection,
      overflow: overflowProjection,
      context: contextProjection(codec),
      stops: stopProjection,
      tasks: tasksProjection,
      control: controlProjection,
      goal: goalProjection,
      blocked: blockedProjection,
      evidence: evidenceProjection,
      files: filesProjection,
      pending: pendingProjection(codec),
      taskList: taskListProjection,
      view: viewProjection(codec),
    },
  });
}

/** Returns the state of a timeline. */
export function stateOf(timeline: ConversationTimeline): ConversationState {
  const { execution, error, title, lastUserMessageId } = timeline.read('status');
  return {
    head: timeline.head,
    ...(timeline.leafId !== undefined && { leafId: timeline.leafId }),
    status: execution,
    ...(error && { error }),
    ...(title !== undefined && { title }),
    ...(lastUserMessageId !== undefined && { lastUserMessageId }),
    stats: timeline.read('stats'),
    activeMs: timeline.read('activity').ms,
    pending: timeline.read('pending'),
    taskList: timeline.read('taskList'),
    view: timeline.read('view'),
  };
}
