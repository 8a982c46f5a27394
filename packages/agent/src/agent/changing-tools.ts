import type { Tool } from '@varve/tools';
import { stateOf } from './toolset.ts';

type Source = NonNullable<Tool['source']>;

/** Tools of a conversation by name, of which those of servers change while it is open. */
export class ChangingTools {
  readonly #tools: Map<string, Tool>;
  /**
   * Sources, and how the first of their tools is wrapped if all are used: a conversation that has only some gets no
   * others.
   */
  readonly #sources: ReadonlyMap<Source, Pick<Tool, 'rewrap'> | undefined>;

  /** @param tools - Changed in place. */
  constructor(tools: Map<string, Tool>) {
    this.#tools = tools;
    const all = [...tools.values()];
    const sources = new Set(all.flatMap(({ source }) => source ?? []));
    const used = new Set(all.map(stateOf));
    const firstOf = (source: Source): Tool | undefined =>
      source.made.every((tool) => used.has(stateOf(tool))) ? all.find((tool) => tool.source === source) : undefined;
    this.#sources = new Map([...sources].map((source) => [source, firstOf(source)]));
  }

  /** Replaces the tools that have changed. Returns true if some have. A tool that is not used is closed. */
  async update(signal: AbortSignal): Promise<boolean> {
    let isChanged = false;
    for (const [source, first] of this.#sources) {
      const { added, removed } = await source.changes(signal);
      const unused = removed.filter((tool) => this.#stateAt(tool.name) === stateOf(tool));
      const replaced = new Map(unused.map(({ name }) => [name, this.#tools.get(name)]));
      for (const name of replaced.keys()) this.#tools.delete(name);
      const used = added.filter(({ name }) => (replaced.get(name) ?? first) && !this.#tools.has(name));
      for (const tool of used) {
        const like = replaced.get(tool.name) ?? first;
        this.#tools.set(tool.name, like?.rewrap?.(tool) ?? tool);
      }
      isChanged ||= unused.length > 0 || used.length > 0;
      const rest = [...unused, ...added.filter((tool) => !used.includes(tool))];
      await Promise.all(rest.map(async (tool) => tool.close?.()));
    }
    return isChanged;
  }

  #stateAt(name: string): object | undefined {
    const tool = this.#tools.get(name);
    return tool && stateOf(tool);
  }
}
