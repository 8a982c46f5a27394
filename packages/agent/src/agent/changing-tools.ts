import type { Tool } from '@varve/tools';

type Source = NonNullable<Tool['source']>;

/** Tools of a conversation by name, of which those of servers change while it is open. */
export class ChangingTools {
  readonly #tools: Map<string, Tool>;
  /** Sources, and whether all of their tools are used: a conversation that has only some gets no others. */
  readonly #sources: ReadonlyMap<Source, boolean>;

  /** @param tools - Changed in place. */
  constructor(tools: Map<string, Tool>) {
    this.#tools = tools;
    const sources = new Set([...tools.values()].flatMap(({ source }) => source ?? []));
    const used = new Set(tools.values());
    this.#sources = new Map([...sources].map((source) => [source, source.made.every((tool) => used.has(tool))]));
  }

  /** Replaces the tools that have changed. Returns true if some have. A tool that is not used is closed. */
  async update(signal: AbortSignal): Promise<boolean> {
    let isChanged = false;
    for (const [source, isWhole] of this.#sources) {
      const { added, removed } = await source.changes(signal);
      const unused = removed.filter((tool) => this.#tools.get(tool.name) === tool);
      for (const { name } of unused) this.#tools.delete(name);
      const replaced = new Set(unused.map(({ name }) => name));
      const isNew = ({ name }: Tool): boolean => (isWhole || replaced.has(name)) && !this.#tools.has(name);
      const used = added.filter(isNew);
      for (const tool of used) this.#tools.set(tool.name, tool);
      isChanged ||= unused.length > 0 || used.length > 0;
      const rest = [...unused, ...added.filter((tool) => !used.includes(tool))];
      await Promise.all(rest.map(async (tool) => tool.close?.()));
    }
    return isChanged;
  }
}
