export { countingTool, type CountingTool } from './counting-tool.ts';
export { Crash, crashingStore, type CrashOptions } from './crashing-store.ts';
