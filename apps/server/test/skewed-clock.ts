/** Makes the clock of a process wrong by the milliseconds that its parent sends. Timers are not affected. */
let skew = 0;

const { now } = Date;
const skewedNow = (): number => now() + skew;

globalThis.Date = new Proxy(Date, {
  construct: (target, args: unknown[]) => Reflect.construct(target, args.length === 0 ? [skewedNow()] : args) as Date,
  get: (target, name) => (name === 'now' ? skewedNow : (Reflect.get(target, name) as unknown)),
});

process.on('message', (ms) => {
  skew = Number(ms);
});
// The process ends as it would without a parent that sends anything, and when its parent has ended.
process.channel?.unref();
process.on('disconnect', () => process.exit(1));
