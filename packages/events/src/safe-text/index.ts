export { revealHidden, safeJson, safeText } from './safe-text.ts';
