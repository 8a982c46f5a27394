export { nameProxy } from './name-proxy.ts';
export { useNetwork } from './use-network.ts';
