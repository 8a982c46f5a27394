export { tracedBy } from './traced-by.ts';
