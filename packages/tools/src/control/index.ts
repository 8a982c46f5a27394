export { escalate, transferToAgent, type TransferTarget } from './control-tools.ts';
