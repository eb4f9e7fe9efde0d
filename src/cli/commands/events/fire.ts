import { events } from '../../../contract/control/events.ts'
import type { Output } from '../../../contract/mechanics/endpoint.ts'
import { closestMatch } from '../../commandline/closest-match.ts'
import { command } from '../../commandline/command.ts'
import { sendRequest } from '../../connection/send-request.ts'
import { usageError } from '../../errors/usage-error.ts'
import { resolveId } from '../../input/resolve-target.ts'
import type { View } from '../../output/form.ts'
import { toSentence } from '../../output/print-result.ts'
import { itemShape } from '../../output/tables/item-shape.ts'
import { selectIfMissing } from '../../prompts/prompt-if-missing.ts'
import { target as assistantTarget } from '../assistants/view.ts'
import { accountFlag, resolveAccount } from '../server/connections/view.ts'
import { recordedKinds, triggerKindOf } from './view.ts'

const view: View<Output<typeof events.fire>['data']> = { id: (it) => it.kind, columns: [], empty: '' }
const kinds = events.fire.body.shape.kind.options

export const fire = command({
  endpoint: events.fire,
  argument: { name: 'kind', describe: `Event: ${kinds.join(', ')}` },
  filledFields: ['kind', 'account', 'assistant_id'],
  flags: [
    { flags: '--assistant <id>', describe: 'Id, UUID or name of the assistant', field: 'assistant_id' },
    accountFlag,
  ],
  examples: [
    'conversation_ended --assistant Recall',
    'inbound --assistant 1 --payload \'{"from": "+14155550123"}\' --json',
  ],
  notes:
    'Works on a Parley server and on the local platform. The event starts the automation that is bound to it, or is sent to the webhook.',
  view,
  async run(context, { argument: given, input, flags }) {
    const argument = await selectIfMissing(context, given, kinds, {
      question: 'Which event?',
      missingMessage: 'Missing event.',
      hint: `Events: ${kinds.join(', ')}.`,
    })
    const kind = triggerKindOf(argument)
    if (!kind) {
      const guess = triggerKindOf(closestMatch(argument, [...kinds, ...recordedKinds]) ?? '')
      throw usageError(
        `Unknown event "${argument}".`,
        `${guess === undefined ? '' : `Did you mean ${guess}? `}Events: ${kinds.join(', ')}.`,
      )
    }
    const assistant_id = await resolveId(
      context,
      flags.assistant === undefined ? undefined : String(flags.assistant),
      assistantTarget,
      '--assistant',
    )
    const answer = await sendRequest(context, events.fire, {
      ...input,
      kind,
      account: await resolveAccount(context, flags.account),
      assistant_id,
    })
    if (!answer) return
    const { out, notes } = context
    if (out.settings.form !== 'table' || out.settings.fields)
      return out.record(answer.data, itemShape(context.command) as never)
    await out.done(toSentence(answer.message))
    const { holder, run_id } = answer.data
    if (holder === 'automation' && run_id) await notes.note(`Next: parley automate runs get ${run_id}`)
  },
})
