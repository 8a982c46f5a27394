export { safeJson, safeText } from './safe-text.ts';
