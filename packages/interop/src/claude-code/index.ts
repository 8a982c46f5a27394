export { claudeCodeFormat } from './session-format.ts';
