export { condenserContract, type CondenserCheck, type CondenserSubject } from './condenser-contract.ts';
export { characterTokens, condenseContext, fixedReply, type CondenserReply } from './condense-context.ts';
