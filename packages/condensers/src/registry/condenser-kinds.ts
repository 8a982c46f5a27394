import { amortizedKind } from '../amortized.ts';
import { browserMaskingKind } from '../browser-masking.ts';
import { conversationWindowKind } from '../conversation-window.ts';
import { discardAllKind } from '../discard-all.ts';
import { inOrderKind } from '../in-order.ts';
import { llmAttentionKind } from '../llm-attention.ts';
import { llmSummaryKind } from '../llm-summary.ts';
import { noCondensationKind } from '../no-condensation.ts';
import { observationMaskingKind } from '../observation-masking.ts';
import { recentKind } from '../recent.ts';
import { rollingWindowKind } from '../rolling-window.ts';
import { structuredSummaryKind } from '../structured-summary.ts';
import type { CondenserKind } from './condenser-kind.ts';

/** All kinds of condensers of this package, for specs and configurations: add a file, then its line here. */
export const condenserKinds: readonly CondenserKind[] = [
  noCondensationKind,
  rollingWindowKind,
  amortizedKind,
  recentKind,
  conversationWindowKind,
  discardAllKind,
  observationMaskingKind,
  browserMaskingKind,
  llmSummaryKind,
  structuredSummaryKind,
  llmAttentionKind,
  inOrderKind,
];
