import type { TokenUsage } from '@varve/events';
import { isLoopback } from '@varve/text';
import { providers } from '../providers/providers.ts';

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
  /** The entry is that of the model's maker, because the catalogue does not know the server: an assumption. */
  readonly isAssumed?: true;
  /** Usage of the model can be priced. */
  readonly isPriced?: true;
  /** Returns US dollars; undefined when the usage cannot be priced. */
  costOf(usage: TokenUsage): number | undefined;
}

/** Prices and context windows of the models of providers. */
export interface ModelCatalog {
  /**
   * Returns the entry of a model at an address. At a server that is neither a known provider nor on this machine, such
   * as a company's proxy, it is that of the maker of the model of this name, as an assumption. Undefined for an unknown
   * model, and for one at a server on this machine, which may use any name.
   */
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
  const find = (query: CatalogQuery): CatalogEntry | undefined => {
    const known = price({ input_tokens: 0, output_tokens: 0 }, query)?.model;
    if (!known) return undefined;
    const { context_window: contextWindow, prices } = known;
    const isPriced = Object.keys(prices).length > 0;
    return {
      ...(contextWindow !== undefined && { contextWindow }),
      ...(isPriced && { isPriced }),
      // An entry without prices is counted as free by the package.
      costOf: ({ reasoning_tokens: _part, ...usage }) => (isPriced ? price(usage, query)?.total_price : undefined),
    };
  };
  return {
    find(query) {
      const entry = find(query);
      if (entry || query.baseUrl === undefined || !mayForward(query.baseUrl)) return entry;
      const assumed = find({ model: query.model.split('/').at(-1) ?? '' });
      return assumed && { ...assumed, isAssumed: true };
    },
  };
}

/** Returns whether a server may forward requests to the makers of models: it is unknown, and not on this machine. */
function mayForward(baseUrl: string): boolean {
  const origin = URL.parse(baseUrl)?.origin;
  return !isLoopback(baseUrl) && Object.values(providers).every((known) => new URL(known.baseUrl).origin !== origin);
}
