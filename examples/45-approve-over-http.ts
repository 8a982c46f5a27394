// Approves calls over HTTP: a web handler shows those that wait and decides; the same decision again changes nothing.
import { alwaysConfirm, defineAgent } from '@varve/agent';
import { createHost, httpStatusOf } from '@varve/host';
import { scriptedModel } from '@varve/llm/testing';
import { memoryStore } from '@varve/storage';
import { defineTool } from '@varve/tools';
import * as z from 'zod';

const refunded: number[] = [];
const refund = defineTool({
  name: 'refund',
  description: 'Refunds an order.',
  input: z.object({ order: z.int() }),
  effect: 'write',
  execute: async ({ order }) => {
    refunded.push(order);
    return 'Refunded.';
  },
});
const turns = (order: number) => [
  { calls: [{ name: 'refund', arguments: { order } }] },
  { text: `Order ${order} is refunded.` },
];
const agents = {
  support: () => defineAgent({ model: scriptedModel(turns(1)), tools: [refund], confirmation: alwaysConfirm() }),
  sales: () => defineAgent({ model: scriptedModel(turns(2)), tools: [refund], confirmation: alwaysConfirm() }),
};
await using store = memoryStore();
await using host = createHost({ store, agents });
const decision = z.object({ digest: z.string(), reject: z.string().optional() });

/** GET `/ID` returns the calls that wait and their digest; POST sends the digest back, with a reason to reject them. */
async function approvals(request: Request): Promise<Response> {
  try {
    return await host.use(new URL(request.url).pathname.slice(1), async (hosted) => {
      if (request.method === 'POST') {
        await hosted.decide({ ...decision.parse(await request.json()), ifWaiting: true }, { run: true });
      }
      const { asked, digest } = hosted.waiting();
      return Response.json({ digest, calls: asked.map(({ event }) => event) });
    });
  } catch (error) {
    return new Response(null, { status: error instanceof z.ZodError ? 422 : httpStatusOf(error) });
  }
}

const ids = await Promise.all(Object.keys(agents).map((agent) => host.create({ agent })));
for (const id of ids) {
  await host.send(id, 'Refund my order.');
  await host.use(id, ({ runs }) => runs.idle());
  const url = `http://localhost/${id}`;
  const { digest, calls } = (await (await approvals(new Request(url))).json()) as { digest: string; calls: [] };
  const post = async (body: object): Promise<number> =>
    (await approvals(new Request(url, { method: 'POST', body: JSON.stringify(body) }))).status;
  console.log('Waiting:', calls.length, 'Other calls than those that wait:', await post({ digest: '0'.repeat(64) }));
  console.log('Approved:', await post({ digest }), 'Approved again:', await post({ digest }));
  await host.use(id, ({ runs }) => runs.idle());
  console.log('Approved after the run:', await post({ digest }), 'Refunded:', refunded.join(', '));
}
console.log('Unknown:', (await approvals(new Request('http://localhost/0123456789abcdef0123456789abcdef'))).status);
