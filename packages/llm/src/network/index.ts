export { nameProxy } from './name-proxy.ts';
export { proxyVariables } from './proxy-for.ts';
export { useNetwork } from './use-network.ts';
