import type { TokenUsage } from '@varve/events';

/** Which model at which address is looked up. */
export interface CatalogQuery {
  readonly model: string;
  /** Without it, the model is looked up at its maker's. */
  readonly baseUrl?: string;
}

/** What is known of a model. */
export interface CatalogEntry {
  /** Tokens of prompt and reply together. */
  readonly contextWindow?: number;
  /** US dollars; absent when the numbers cannot be priced. */
  costOf(usage: TokenUsage): number | undefined;
}

/** Prices and windows of the models that providers sell. */
export interface ModelCatalog {
  /** Absent when the model or the address is not known: a local server may give its models any name. */
  find(query: CatalogQuery): CatalogEntry | undefined;
}

/**
 * The catalogue of the package `@pydantic/genai-prices`, which is loaded with the first call because that takes a moment. Its
 * prices are those of its release: nothing is fetched.
 *
 * @see https://github.com/pydantic/genai-prices
 */
export async function modelCatalog(): Promise<ModelCatalog> {
  const { calcPrice } = await import('@pydantic/genai-prices');
  const price = (usage: Partial<TokenUsage>, { model, baseUrl }: CatalogQuery): ReturnType<typeof calcPrice> => {
    try {
      return calcPrice({ ...usage }, model, baseUrl === undefined ? {} : { providerApiUrl: baseUrl });
    } catch {
      // It throws for counts that contradict each other; such a call has no known price.
      return null;
    }
  };
  return {
    find(query) {
      const known = price({ input_tokens: 0, output_tokens: 0 }, query)?.model;
      if (!known) return undefined;
      const { context_window: contextWindow } = known;
      return {
        ...(contextWindow !== undefined && { contextWindow }),
        costOf: ({ reasoning_tokens: _part, ...usage }) => price(usage, query)?.total_price,
      };
    },
  };
}
