export { nameProxy } from './name-proxy.ts';
export { proxyVariables, type ProxyVariables } from './proxy-for.ts';
export { useNetwork } from './use-network.ts';
