export { condenserContract, type CondenserCheck, type CondenserSubject } from './condenser-contract.ts';
