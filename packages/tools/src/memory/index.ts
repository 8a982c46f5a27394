export { memory } from './memory.ts';
export type { MemoryStorage } from './memory-storage.ts';
