export { revealHidden } from './reveal-hidden.ts';
export { safeJson, safeText } from './safe-text.ts';
