export { traced, type TraceOptions } from './traced.ts';
