export { earlierSummaries } from './render-events.ts';
export { renderFitting, type FittingOptions } from './render-fitting.ts';
