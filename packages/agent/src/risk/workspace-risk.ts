import { FileEditorAction, TaskTrackerAction } from '@varve/events/payloads';
import { verdictOf } from './highest-risk.ts';
import type { RiskAnalyzer } from './risk-analyzer.ts';

/**
 * Rates the task list as LOW and edits of files as MEDIUM: the editor reaches the workspace only, and keeps what it
 * changes. A change below `.git` is HIGH, because git runs programs named there. Other tools are not rated.
 */
export function workspaceRisk(): RiskAnalyzer {
  return {
    spec: { kind: 'WorkspaceRiskAnalyzer' },
    assess({ action }) {
      if (TaskTrackerAction.is(action)) return verdictOf([]);
      if (!FileEditorAction.is(action)) return undefined;
      const { command, path } = action;
      if (command === 'view') return verdictOf([]);
      const isInGit = path.split(/[/\\]/).some((part) => part.toLowerCase() === '.git');
      if (isInGit) return verdictOf([{ risk: 'HIGH', text: `It changes ${path}, which git may run.` }]);
      return verdictOf([{ risk: 'MEDIUM', text: `It changes ${path}.` }]);
    },
  };
}
