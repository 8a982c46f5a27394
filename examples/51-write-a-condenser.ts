// Writes a condenser: a view that is too long keeps its opening and its newer half. Two conversations share it.
import { createAgent } from '@varve/agent';
import type { Condenser } from '@varve/condensers';
import { cutPoints } from '@varve/events/projections';
import { scriptedModel, type ScriptedTurn } from '@varve/llm/testing';
import { think } from '@varve/tools';

/** The caller stores the events that are absent from the answer as forgotten; the log keeps them. */
const newerHalf = (maxEvents: number): Condenser => ({
  spec: { kind: 'newer-half', maxEvents },
  async condense(view, { reason }) {
    const { events } = view;
    if (reason === 'check' && events.length <= maxEvents) return view;
    const opening = events.findIndex(({ source }) => source === 'user') + 1;
    const cut = cutPoints(events).find((point) => point > opening && point >= events.length / 2);
    if (cut !== undefined) return { ...view, events: [...events.slice(0, opening), ...events.slice(cut)] };
    return reason === 'check' ? view : { kind: 'nothing', reason: 'The view cannot be cut.' };
  },
});

const condenser = newerHalf(10);
for (const thoughts of [2, 8]) {
  const turns = Array.from({ length: thoughts }, (_, index): ScriptedTurn => {
    return { calls: [{ name: 'think', arguments: { thought: `Thought ${index + 1}.` } }] };
  });
  await using agent = createAgent({
    model: scriptedModel([...turns, { text: 'Enough.' }]),
    tools: [think()],
    condenser,
  });
  await agent.run('Think for a while.');
  const { state } = await agent.conversation();
  console.log(state.head, 'events in the log,', state.view.events.length, 'in the view');
}
