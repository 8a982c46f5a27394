import { providers } from '../providers/providers.ts';

/**
 * Returns the known models of each provider, sorted, from the package `@pydantic/genai-prices`: those of the installed
 * release, without deprecated ones. Nothing is fetched. Providers that it does not know have no models.
 *
 * @see https://github.com/pydantic/genai-prices
 */
export async function listedModels(): Promise<Readonly<Record<string, readonly string[]>>> {
  const { findProvider } = await import('@pydantic/genai-prices');
  const hosted = Object.entries(providers).filter(([, { keyName, protocol }]) => keyName && protocol !== 'responses');
  return Object.fromEntries(
    hosted.map(([name, { baseUrl }]) => {
      const models = findProvider({ providerApiUrl: baseUrl })?.models ?? [];
      return [
        name,
        models
          .filter(({ deprecated }) => !deprecated)
          .map(({ id }) => id)
          .toSorted(),
      ];
    }),
  );
}
