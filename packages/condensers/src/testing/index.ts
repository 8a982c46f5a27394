export { condenserContract } from './condenser-contract.ts';
export { condenseContext } from './condense-context.ts';
