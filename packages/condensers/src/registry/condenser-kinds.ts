import { inOrderKind } from '../in-order.ts';
import { noCondensationKind } from '../no-condensation.ts';
import { rollingWindowKind } from '../rolling-window.ts';
import type { CondenserKind } from './condenser-kind.ts';

/** All kinds of condensers of this package, for specs and configurations. */
export const condenserKinds: readonly CondenserKind[] = [noCondensationKind, rollingWindowKind, inOrderKind];
