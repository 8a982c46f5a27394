export { codexFormat } from './rollout-format.ts';
