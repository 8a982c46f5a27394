import type { Attributes } from '@varve/events/spans';
import type { Variables } from '@varve/text';

/** Address of a signal, and the headers of its requests. */
export interface OtlpTarget {
  readonly url: string;
  readonly headers: Readonly<Record<string, string>>;
}

/** Where spans and metrics are sent. */
export interface OtlpSettings {
  readonly traces: OtlpTarget | undefined;
  readonly metrics: OtlpTarget | undefined;
  /** Attributes of the process. */
  readonly resource: Attributes;
  /** Milliseconds of a request. */
  readonly timeoutMs: number;
  /** True if metrics contain only what was measured since the last ones. */
  readonly isDelta: boolean;
  /** True if spans have the texts of messages, arguments and results. */
  readonly content: boolean;
}

/**
 * Reads the variables of OpenTelemetry; undefined if they name no address, or turn everything off.
 *
 * @see https://opentelemetry.io/docs/specs/otel/protocol/exporter/
 */
export function otlpSettings(env: Variables): OtlpSettings | undefined {
  const traces = targetOf('traces', env);
  const metrics = targetOf('metrics', env);
  if (isTrue(env['OTEL_SDK_DISABLED']) || (!traces && !metrics)) return undefined;
  const timeout = Number(env['OTEL_EXPORTER_OTLP_TIMEOUT'] ?? 10_000);
  return {
    traces,
    metrics,
    resource: {
      'service.name': 'varve',
      ...pairsOf(env['OTEL_RESOURCE_ATTRIBUTES']),
      ...(env['OTEL_SERVICE_NAME'] && { 'service.name': env['OTEL_SERVICE_NAME'] }),
    },
    timeoutMs: timeout > 0 ? timeout : 10_000,
    isDelta: env['OTEL_EXPORTER_OTLP_METRICS_TEMPORALITY_PREFERENCE']?.toLowerCase() === 'delta',
    content: isTrue(env['OTEL_INSTRUMENTATION_GENAI_CAPTURE_MESSAGE_CONTENT']),
  };
}

function targetOf(signal: 'traces' | 'metrics', env: Variables): OtlpTarget | undefined {
  const upper = signal.toUpperCase();
  const own = env[`OTEL_EXPORTER_OTLP_${upper}_ENDPOINT`];
  const base = env['OTEL_EXPORTER_OTLP_ENDPOINT'];
  const url = own || (base && `${base.endsWith('/') ? base.slice(0, -1) : base}/v1/${signal}`);
  if (!url || env[`OTEL_${upper}_EXPORTER`] === 'none') return undefined;
  const headers = {
    ...pairsOf(env['OTEL_EXPORTER_OTLP_HEADERS']),
    ...pairsOf(env[`OTEL_EXPORTER_OTLP_${upper}_HEADERS`]),
  };
  return { url, headers };
}

/** Returns the pairs of a list `name=value,name=value`, whose values may be percent-encoded. */
function pairsOf(list = ''): Record<string, string> {
  return Object.fromEntries(
    list.split(',').flatMap((pair) => {
      const at = pair.indexOf('=');
      const name = pair.slice(0, Math.max(0, at)).trim();
      return name === '' ? [] : [[decoded(name), decoded(pair.slice(at + 1).trim())]];
    }),
  );
}

function decoded(text: string): string {
  try {
    return decodeURIComponent(text);
  } catch {
    // A value with a percent sign that is not encoded.
    return text;
  }
}

function isTrue(value = ''): boolean {
  return value.toLowerCase() === 'true';
}
