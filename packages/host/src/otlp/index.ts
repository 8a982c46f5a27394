export type { OtlpExporter } from './otlp-exporter.ts';
export { otlpFrom } from './otlp-from.ts';
