import { loadYaml } from '../../../node/parse-yaml.ts'
import type { Context } from '../../program/context.ts'
import { usageError } from '../../program/errors/usage-error.ts'
import { idView } from '../../program/output/format.ts'
import { replacedNote } from './anonymizer.ts'
import { type RecordedConversation, scenarioFromTranscript } from './scenario-from-transcript.ts'

/** Prints the scenario of a conversation: YAML for people, a record for programs. @throws ClientFailure `usage` without messages of a customer */
export async function printScenario({ out, notes, system }: Context, recorded: RecordedConversation): Promise<void> {
  if (!recorded.messages.some((it) => it.role === 'user'))
    throw usageError(
      'The customer wrote nothing, so there is nothing to test.',
      'Choose a conversation with messages of the customer.',
    )
  const scenario = scenarioFromTranscript(recorded)
  if (!out.isForPeople) return out.record(scenario, { view: idView(() => recorded.name) })
  const { stringify } = await loadYaml()
  await system.streams.stdout.write(stringify(scenario, { lineWidth: 0, aliasDuplicateObjects: false }))
  if (!scenario.turns.some((it) => it.expect !== undefined))
    await notes.note(
      'No turn has an expectation. Write what its reply must say or must not, such as contains and never: parley schema scenario.',
    )
  await notes.note(replacedNote)
}
