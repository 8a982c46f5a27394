import type { TokenUsage } from '@varve/events';

/** Query for one model. */
export interface CatalogQuery {
  readonly model: string;
  /** Address of the provider; that of the model's maker by default. */
  readonly baseUrl?: string;
}

/** Catalogue entry of a model. */
export interface CatalogEntry {
  /** Tokens of prompt and reply together. */
  readonly contextWindow?: number;
  /** Returns US dollars; undefined when the usage cannot be priced. */
  costOf(usage: TokenUsage): number | undefined;
}

/** Prices and context windows of the models of providers. */
export interface ModelCatalog {
  /** Returns undefined for an unknown model or address: a local server may use any model name. */
  find(query: CatalogQuery): CatalogEntry | undefined;
}

/**
 * Loads the catalogue of the package `@pydantic/genai-prices`, on the first call because the import is slow. Prices are
 * those of the installed release: nothing is fetched.
 *
 * @see https://github.com/pydantic/genai-prices
 */
export async function modelCatalog(): Promise<ModelCatalog> {
  const { calcPrice } = await import('@pydantic/genai-prices');
  const price = (usage: Partial<TokenUsage>, { model, baseUrl }: CatalogQuery): ReturnType<typeof calcPrice> => {
    try {
      return calcPrice({ ...usage }, model, baseUrl === undefined ? {} : { providerApiUrl: baseUrl });
    } catch {
      // It throws for contradictory counts; the price of such a call is unknown.
      return null;
    }
  };
  return {
    find(query) {
      const known = price({ input_tokens: 0, output_tokens: 0 }, query)?.model;
      if (!known) return undefined;
      const { context_window: contextWindow, prices } = known;
      const isPriced = Object.keys(prices).length > 0;
      return {
        ...(contextWindow !== undefined && { contextWindow }),
        // An entry without prices is counted as free by the package.
        costOf: ({ reasoning_tokens: _part, ...usage }) => (isPriced ? price(usage, query)?.total_price : undefined),
      };
    },
  };
}
