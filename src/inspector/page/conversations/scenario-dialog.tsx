import { useSignal } from '@preact/signals'
import { CommandLine } from '../parts/command-line.tsx'
import { CopyButton } from '../parts/copy-button.tsx'
import { Dialog } from '../parts/dialog.tsx'
import { JsonView } from '../parts/json-view.tsx'
import { type ScenarioMessage, scenarioText } from './scenario.ts'

/** A button that shows a transcript as a scenario for tests of the assistant. */
export function ScenarioButton({
  transcript,
  assistant,
  name,
  channel,
}: {
  transcript: readonly ScenarioMessage[]
  assistant: string
  name: string
  channel: string
}) {
  const isOpen = useSignal(false)
  if (!transcript.some((it) => it.role === 'user')) return null
  const text = isOpen.value ? scenarioText(transcript, { assistant, name, channel }) : ''
  return (
    <>
      <button
        type="button"
        onClick={() => {
          isOpen.value = true
        }}
      >
        Turn into a test…
      </button>
      {isOpen.value && (
        <Dialog
          title="Turn into a test"
          wide
          onClose={() => {
            isOpen.value = false
          }}
        >
          <div>
            <p>
              Save this scenario as a YAML file in the <code>tests</code> folder of your project, add what you expect of
              the replies, and run it:
            </p>
            <CommandLine command="parley assistants test" />
            <JsonView value={text} label="Scenario" />
            <CopyButton text={text} label="Copy the scenario" />
          </div>
        </Dialog>
      )}
    </>
  )
}
