import { useSignal } from '@preact/signals'
import { JsonView } from '../parts/json-view.tsx'
import { LongText } from '../parts/long-text.tsx'

/** Message of a transcript as the platform returns it. `scenarioText` of scenario.ts takes the same. */
export interface ChatMessage {
  readonly role: 'user' | 'assistant'
  readonly content: string
  readonly function_calls?: readonly {
    readonly name: string
    readonly arguments: Readonly<Record<string, unknown>>
    readonly result: Readonly<Record<string, unknown>>
  }[]
}

const longMessage = 4000
const firstMessages = 200

function Bubble({ message }: { message: ChatMessage }) {
  const { content, role, function_calls = [] } = message
  return (
    <li class={`bubble ${role}`}>
      <span class="hidden">{role === 'user' ? 'Customer' : 'Assistant'}: </span>
      {content && (
        <p dir="auto">
          <LongText text={content} limit={longMessage} />
        </p>
      )}
      {function_calls.map((call, at) => (
        <details key={at} class="function-call">
          <summary>
            Called <code>{call.name}</code>
          </summary>
          <h3>Arguments</h3>
          <JsonView value={call.arguments} label={`Arguments of ${call.name}`} />
          <h3>Result</h3>
          <JsonView value={call.result} label={`Result of ${call.name}`} />
        </details>
      ))}
    </li>
  )
}

/** A transcript as a chat. Only the newest messages of a very long one are drawn at first. */
export function Chat({ messages, label }: { messages: readonly ChatMessage[]; label: string }) {
  const isOpen = useSignal(false)
  const hidden = isOpen.value ? 0 : Math.max(0, messages.length - firstMessages)
  return (
    <>
      {hidden > 0 && (
        <button
          type="button"
          onClick={() => {
            isOpen.value = true
          }}
        >
          Show {hidden} earlier messages
        </button>
      )}
      <ol class="chat" aria-label={label}>
        {messages.slice(hidden).map((message, at) => (
          <Bubble key={hidden + at} message={message} />
        ))}
      </ol>
    </>
  )
}
