import type { Variables } from '@varve/text';
import type { OtlpExporter } from './otlp-exporter.ts';

/** Variables without which nothing is sent, and nothing of it is loaded. */
const endpoint = /^OTEL_EXPORTER_OTLP_(?:TRACES_|METRICS_)?ENDPOINT$/;

/**
 * Returns a sink that sends spans and metrics where the variables of OpenTelemetry name; undefined if they name
 * nothing. The caller disposes it after its conversations.
 *
 * @param onProblem Called once, with a sentence, when something could not be sent.
 */
export async function otlpFrom(
  env: Variables,
  onProblem: (problem: string) => void = () => undefined,
): Promise<OtlpExporter | undefined> {
  if (!Object.entries(env).some(([name, value]) => value && endpoint.test(name))) return undefined;
  const { otlpSettings } = await import('./otlp-variables.ts');
  const settings = otlpSettings(env);
  if (!settings) return undefined;
  const { otlpExporter } = await import('./otlp-exporter.ts');
  return otlpExporter({ ...settings, onProblem });
}
