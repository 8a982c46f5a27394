export { cassetteFile, type CassetteEntry, type CassetteFailure, type CassetteFile } from './cassette.ts';
export { inlinedImages, type InlineImageOptions } from './inlined-images.ts';
export { limited, type LimitOptions } from './limited.ts';
export { metered, type CallMeasure, type MeterOptions, type TokenPrices } from './metered.ts';
export { modelCatalog, type CatalogEntry, type CatalogQuery, type ModelCatalog } from './model-catalog.ts';
export { recorded, type RecordOptions } from './recorded.ts';
export { replayed, type ReplayedModel, type ReplayOptions } from './replayed.ts';
export { requestDigest } from './request-digest.ts';
export { routed, type FallbackNotice, type RouteOptions } from './routed.ts';
