export { countingTool } from './counting-tool.ts';
export { Crash, crashingStore } from './crashing-store.ts';
