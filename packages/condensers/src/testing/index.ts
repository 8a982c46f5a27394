export { condenserContract, type CondenserSubject } from './condenser-contract.ts';
export { characterTokens, condenseContext, fixedReply } from './condense-context.ts';
