import type { ConfirmationPolicy } from '../confirmation/confirmation-policy.ts';
import { confirmRisky } from '../confirmation/policies.ts';
import { ensembleRisk } from '../risk/ensemble-risk.ts';
import { modelRisk } from '../risk/model-risk.ts';
import { shellRisk } from '../risk/shell-risk.ts';
import { workspaceRisk } from '../risk/workspace-risk.ts';

/**
 * Asks about calls that reach beyond the machine or cannot be undone, and about calls of unknown risk: without a
 * sandbox, each command that is not known to be harmless. The policy `auto` of the settings.
 */
export function autoConfirm(): ConfirmationPolicy {
  return confirmRisky({ analyzer: ensembleRisk([modelRisk(), shellRisk(), workspaceRisk()]) });
}
