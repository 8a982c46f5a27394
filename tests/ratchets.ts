/** A number of a package that may only fall. */
export interface Measure {
  /** Noun after the number. */
  readonly title: string;
  /** Returns the limit that is written for a number: rounded, so that small changes do not touch the file. */
  readonly limitFor: (count: number) => number;
  /** Difference between a written limit and the one for the present number from which the written one is lowered. */
  readonly slack: number;
}

/** The numbers that may only fall, by their names in `ratchets.json`. */
export const measures = {
  lines: { title: 'lines of source', limitFor: (count) => roundedUp(count, 100), slack: 500 },
  unreached: { title: 'lines that no program uses', limitFor: (count) => roundedUp(count, 50), slack: 100 },
  circles: { title: 'import circles', limitFor: (count) => count, slack: 1 },
  longFunctions: { title: 'functions of more than 40 lines', limitFor: (count) => count, slack: 2 },
  names: { title: 'public names', limitFor: (count) => Math.ceil(count * 1.1), slack: 10 },
  rootNames: { title: 'names in its first entry', limitFor: (count) => Math.max(count, 25), slack: 3 },
} satisfies Readonly<Record<string, Measure>>;

/** Name of a number. */
export type MeasureName = keyof typeof measures;

/** All names of numbers. */
export const measureNames = Object.keys(measures) as readonly MeasureName[];

/** Numbers of one package. */
export type Counts = Readonly<Record<MeasureName, number>>;

/** Contents of `ratchets.json`. */
export interface Ratchets {
  /** Limits by the folder of the package; written by `-u`, which only lowers them. */
  readonly limits: Readonly<Record<string, Counts>>;
  /** Higher limits, written by hand with the reason. */
  readonly raised: readonly RaisedLimit[];
}

/** A limit that is higher than before. */
export interface RaisedLimit {
  readonly package: string;
  readonly measure: MeasureName;
  readonly limit: number;
  readonly why: string;
}

/** Files and places that were counted, for messages. */
export type Places = Readonly<Partial<Record<MeasureName, readonly string[]>>>;

/** Returns a sentence for each number above its limit, with what was counted. A new package has no limits. */
export function exceeded(
  counts: Readonly<Record<string, Counts>>,
  ratchets: Ratchets,
  places: Places,
): readonly string[] {
  return Object.entries(counts).flatMap(([folder, numbers]) =>
    measureNames.flatMap((measure) => {
      const limit = limitOf(ratchets, folder, measure);
      if (limit === undefined || numbers[measure] <= limit) return [];
      const counted = places[measure]?.filter((place) => place.startsWith(`${folder}/`)) ?? [];
      const sentence = `${folder} has ${numbers[measure]} ${measures[measure].title}; the limit of ${measure} is ${limit}.`;
      return [[sentence, ...counted].join(' ')];
    }),
  );
}

/** Returns the limits for the present numbers: lower than before where a number fell by more than the slack. */
export function lowered(counts: Readonly<Record<string, Counts>>, ratchets: Ratchets): Ratchets {
  const limits = Object.entries(counts).map(([folder, numbers]) => {
    const before = ratchets.limits[folder];
    return [folder, mapCounts((name) => lowerLimit(measures[name], numbers[name], before?.[name]))] as const;
  });
  const raised = ratchets.raised.flatMap((each) => {
    const count = counts[each.package]?.[each.measure];
    const limit = count === undefined ? 0 : lowerLimit(measures[each.measure], count, each.limit);
    return limit > (ratchets.limits[each.package]?.[each.measure] ?? 0) ? [{ ...each, limit }] : [];
  });
  return { limits: Object.fromEntries(limits), raised };
}

/** Creates the numbers of a package. */
export function mapCounts(count: (name: MeasureName) => number): Counts {
  return Object.fromEntries(measureNames.map((name) => [name, count(name)])) as Counts;
}

function lowerLimit({ limitFor, slack }: Measure, count: number, before: number | undefined): number {
  const limit = limitFor(count);
  return before === undefined || before - limit >= slack ? limit : before;
}

function limitOf({ limits, raised }: Ratchets, folder: string, measure: MeasureName): number | undefined {
  const higher = raised.find((each) => each.package === folder && each.measure === measure);
  return higher?.limit ?? limits[folder]?.[measure];
}

function roundedUp(count: number, step: number): number {
  return Math.ceil(count / step) * step;
}
