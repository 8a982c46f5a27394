/** A line of a chart: milliseconds at steps. */
export interface Line {
  readonly name: string;
  readonly points: readonly (readonly [step: number, ms: number])[];
}

/** A bar of a chart, in milliseconds. */
export interface Bar {
  readonly name: string;
  readonly ms: number;
}

const colors = ['#c2410c', '#ea9a5f', '#2563eb', '#059669', '#7c3aed', '#64748b'];
const [width, height, left, top] = [420, 220, 50, 40];

/** Returns an SVG image: processor time of a step against its number, and the cold start of each loop. */
export function chartOf(lines: readonly Line[], bars: readonly Bar[]): string {
  const size = `viewBox="0 0 ${2 * (width + left) + 130} ${height + top + 40}"`;
  const style = 'font-family="sans-serif" font-size="11" fill="#555"';
  return `<svg xmlns="http://www.w3.org/2000/svg" ${size} ${style}>\n${lineChart(lines)}\n${barChart(bars)}\n</svg>\n`;
}

function lineChart(lines: readonly Line[]): string {
  const points = lines.flatMap((line) => line.points);
  const lastStep = Math.max(...points.map(([step]) => step));
  const mostMs = Math.max(...points.map(([, ms]) => ms));
  const x = (step: number): string => (left + (step / lastStep) * width).toFixed(1);
  const y = (ms: number): string => (top + height - (ms / mostMs) * height).toFixed(1);
  const drawn = lines.map((line, index) => {
    const path = line.points.map(([step, ms]) => `${x(step)},${y(ms)}`).join(' ');
    return `<polyline points="${path}" fill="none" stroke="${colorOf(index)}" stroke-width="2"/>`;
  });
  const ticks = [0, 0.5, 1].flatMap((part) => [
    textAt(left - 8, Number(y(part * mostMs)) + 4, (part * mostMs).toFixed(1), 'end'),
    textAt(Number(x(part * lastStep)), top + height + 16, (part * lastStep).toFixed(0), 'middle'),
  ]);
  const frame = `<path d="M${left},${top}V${top + height}H${left + width}" fill="none" stroke="#bbb"/>`;
  const title = textAt(left, 20, 'Processor time of a step in ms, by its number', 'start');
  return [title, frame, ...ticks, ...drawn].join('\n');
}

function barChart(bars: readonly Bar[]): string {
  const start = left + width + left + 100;
  const most = Math.max(...bars.map(({ ms }) => ms));
  const row = height / bars.length;
  const drawn = bars.flatMap(({ name, ms }, index) => {
    const y = top + index * row;
    const length = ((ms / most) * (width - 100)).toFixed(1);
    return [
      `<rect x="${start}" y="${y.toFixed(1)}" width="${length}" height="${(row * 0.6).toFixed(1)}" fill="${colorOf(index)}"/>`,
      textAt(start - 8, y + row * 0.4, name, 'end'),
      textAt(start + Number(length) + 6, y + row * 0.4, ms.toFixed(0), 'start'),
    ];
  });
  return [textAt(start, 20, 'Start of a process to its first tool call, ms', 'start'), ...drawn].join('\n');
}

function textAt(x: number, y: number, words: string, anchor: 'start' | 'middle' | 'end'): string {
  return `<text x="${x.toFixed(1)}" y="${y.toFixed(1)}" text-anchor="${anchor}">${words}</text>`;
}

function colorOf(index: number): string {
  return colors[index % colors.length] ?? '#000';
}
