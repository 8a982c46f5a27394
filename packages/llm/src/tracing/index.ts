export { traceCalls, type TraceOptions } from './trace-calls.ts';
