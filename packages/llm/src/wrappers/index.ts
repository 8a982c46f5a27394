export { cassetteFile, type CassetteEntry, type CassetteFailure, type CassetteFile } from './cassette.ts';
export { inlineImages, type InlineImageOptions } from './inline-images.ts';
export { limitCalls, type LimitOptions } from './limit-calls.ts';
export { meterCalls, type CallMeasure, type MeterOptions, type TokenPrices } from './meter-calls.ts';
export { modelCatalog, type CatalogEntry, type CatalogQuery, type ModelCatalog } from './model-catalog.ts';
export { recordCalls, type RecordOptions } from './record-calls.ts';
export { cassetteModel, type CassetteModel, type CassetteModelOptions } from './cassette-model.ts';
export { requestDigest } from './request-digest.ts';
export { routeCalls, type FallbackNotice, type RouteOptions } from './route-calls.ts';
