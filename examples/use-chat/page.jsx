// The page for `server.ts`, to be bundled and served next to it.
import { useChat } from '@ai-sdk/react';
import { lastAssistantMessageIsCompleteWithApprovalResponses as isAnswered } from 'ai';
import { createRoot } from 'react-dom/client';

const isKnown = location.hash !== '';
if (!isKnown) location.hash = crypto.randomUUID();
const id = location.hash.slice(1);
const stored = isKnown ? await fetch(`/api/chat/${id}`).then((response) => response.json()) : [];

function Chat() {
  const chat = useChat({ id, messages: stored, resume: true, sendAutomaticallyWhen: isAnswered, onError: resumeLater });
  const { messages, sendMessage, addToolApprovalResponse: answer, resumeStream, status } = chat;
  /** The server may be starting again. */
  function resumeLater() {
    setTimeout(() => resumeStream(), 1000);
  }
  const part = ({ type, text, state, approval, output }) => (
    <p>
      {text ?? output ?? (type.startsWith('tool-') ? `${type} ${state}` : '')}
      {state === 'approval-requested' &&
        [true, false].map((approved) => (
          <button key={String(approved)} type="button" onClick={() => answer({ id: approval.id, approved })}>
            {approved ? 'approve' : 'reject'}
          </button>
        ))}
    </p>
  );
  return (
    <form action={(form) => sendMessage({ text: form.get('text') })}>
      {messages.map((message) => (
        <section key={message.id}>{message.parts.map(part)}</section>
      ))}
      <input name="text" /> {status}
    </form>
  );
}

createRoot(document.body).render(<Chat />);
