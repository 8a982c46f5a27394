import {
  ApplyPatchAction,
  DelegateAction,
  FileEditorAction,
  PlanningFileEditorAction,
  TaskAction,
  TaskTrackerAction,
  TerminalAction,
} from '@varve/events/payloads';
import { type ProposedCall } from '../commands/proposed-call.ts';
import { verdictOf } from './highest-risk.ts';
import { filesOfPatch } from '@varve/tools';
import { addsGitSettings } from '../permissions/protected-paths.ts';
import type { RiskAnalyzer } from './risk-analyzer.ts';

/**
 * Rates the task list as LOW and edits of files as MEDIUM: the editors reach the workspace only, and keep what they
 * change. A change below `.git` is HIGH, because git runs programs named there. Starting a sub-agent is LOW: its own
 * calls are rated when it makes them. The terminal is not rated here. All other tools are UNKNOWN, regardless of the
 * model's own rating: nothing here knows what they do.
 */
export function workspaceRisk(): RiskAnalyzer {
  return {
    spec: { kind: 'WorkspaceRiskAnalyzer' },
    assess(call) {
      const { action } = call;
      if (TaskTrackerAction.is(action) || TaskAction.is(action) || DelegateAction.is(action)) return verdictOf([]);
      if (TerminalAction.is(action)) return undefined;
      const files = changedFiles(action);
      if (!files) return verdictOf([{ risk: 'UNKNOWN', text: 'It is not known what this tool does.' }]);
      const inGit = files.find((file) => file.split(/[/\\]/).some((part) => part.toLowerCase() === '.git'));
      if (inGit !== undefined && !addsGitSettings(call))
        return verdictOf([{ risk: 'HIGH', text: `It changes ${inGit}, which git may run.` }]);
      const [first] = files;
      if (first === undefined) return verdictOf([]);
      const others = files.length === 1 ? '' : ` and ${files.length - 1} more`;
      return verdictOf([{ risk: 'MEDIUM', text: `It changes ${first}${others}.` }]);
    },
  };
}

/** Returns the files that a call of an editor changes; undefined for other tools. */
function changedFiles(action: ProposedCall['action']): readonly string[] | undefined {
  if (ApplyPatchAction.is(action)) return filesOfPatch(action.patch);
  if (!FileEditorAction.is(action) && !PlanningFileEditorAction.is(action)) return undefined;
  return action.command === 'view' ? [] : [action.path];
}
