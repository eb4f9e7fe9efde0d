// Commands of `server simulate`: tree.ts loads each by its export. Scripts have verbs and flags: they are added, not renamed.

import type { ClockState } from '../../../contract/control/clock.ts'
import { simulate } from '../../../contract/control/simulate.ts'
import type { Endpoint } from '../../../contract/endpoint/endpoint.ts'
import { type Command, command } from '../../program/commandline/command.ts'
import { sendRequest } from '../../program/connection/send-request.ts'
import { usageError } from '../../program/errors/usage-error.ts'
import { idView } from '../../program/output/format.ts'
import { toSentence } from '../../program/output/print-result.ts'
import { printJobs } from './clock.ts'
import { accountFlag, resolveAccount } from './connections.ts'

/** What every endpoint of simulations answers: sendRequest does not type the answer of an endpoint that is passed as a value. */
interface SimulationResult {
  readonly message: string
  readonly data: Readonly<Record<string, unknown>>
}

/** Creates a command that simulates an external event; its flags are the fields of the endpoint. */
const simulationCommand = (
  endpoint: Endpoint,
  more: Pick<Command, 'examples' | 'notes'> & { readonly next?: string },
): Command =>
  command({
    endpoint,
    filledFields: ['account'],
    flags: [accountFlag],
    examples: more.examples,
    ...(more.notes !== undefined && { notes: more.notes }),
    view: idView((it: { id: string | number }) => it.id),
    async run(context, { input, flags }) {
      const account = flags.account === undefined ? {} : { account: await resolveAccount(context, flags.account) }
      const answer = (await sendRequest(context, endpoint, { ...input, ...account })) as SimulationResult | undefined
      if (!answer) return
      const { out, notes } = context
      const { id, happens_at } = answer.data
      await out.result(answer.data, toSentence(answer.message), { view: idView(() => String(id)) })
      if (!out.isForPeople) return
      if (happens_at)
        await notes.note(
          `The platform is updated at ${happens_at}. To apply it now: parley server clock until ${happens_at}`,
        )
      else if (more.next) await notes.note(`Next: ${more.next}`)
    },
  })

export const call = simulationCommand(simulate.call, {
  examples: [
    '--phone-number +14155550142 --assistant Recall --direction outbound --status no-answer',
    '--phone-number +14155550142 --direction lead --turns \'[{"customer": "Yes, please."}]\'',
    '--phone-number +14155550142 --assistant "Front desk" --status completed --duration 95',
  ],
  notes: `Pass the script of the call as a file: --file call.yaml, with
  direction: inbound
  assistant: Front desk
  phone_number: "+14155550142"
  turns:
    - customer: Do you have time on Friday?
    - assistant: At ten o'clock.
      after: 3
  extracted_variables: {wants_visit: true}
If the script does not start with the assistant, its initial message comes first. The call proceeds as the clock advances: parley server clock advance 5m.`,
  next: 'parley server clock advance 5m',
})

export const end = simulationCommand(simulate.end, {
  examples: ['--conversation dcc8a31d-9a12-40f7-8676-f5d9a81c26ae'],
  notes: 'Same as an idle timeout. The conversation-ended webhook is notified.',
  next: 'parley server deliveries list',
})

export const failure = simulationCommand(simulate.failure, {
  examples: ['--provider channel.send', '--provider payments.charge --times 3 --text "The bank is closed."'],
  notes:
    'The provider does not respond, and its job is retried later. The failure is a fault rule: parley server faults list.',
  next: 'parley server faults list',
})

export const message = simulationCommand(simulate.message, {
  examples: [
    '--sender 1 --from +14155550142 --text "Are you open today?"',
    '--sender +14155550170 --from +14155550142 --text Hello --name Clara --json',
  ],
  notes: 'Opens or resets the 24-hour window. The assistant of the sender answers.',
  next: 'parley conversations list --type messaging',
})

export const payment = simulationCommand(simulate.payment, {
  examples: ['', '--outcome accepted'],
  notes:
    'The payment method is charged for purchases and renewals of numbers. A declined renewal is retried daily, then the number is released.',
  next: 'parley server clock until subscription',
})

export const receipt = simulationCommand(simulate.receipt, {
  examples: [
    '--message-sid MM0 --status delivered',
    '--message-sid MM0 --status failed --error-code 63024 --error-message "Not reachable"',
  ],
  notes:
    'A status only moves forward: sent, delivered, read. failed and undelivered are possible until it is delivered.',
  next: 'parley server deliveries list --event message_status',
})

export const release = simulationCommand(simulate.release, {
  examples: ['--number +14155550199', '--number 3 --json'],
  notes: 'The number is removed from assistants and campaigns that use it.',
  next: 'parley numbers list',
})

export const run = command({
  endpoint: simulate.run,
  filledFields: ['account'],
  flags: [accountFlag],
  examples: ['--file scenario.yaml', '--steps \'[{"sender": {"sender": 1, "status": "offline"}}, {"advance": "5m"}]\''],
  notes: `A scenario is a file with steps:
  steps:
  - call: {assistant: 1, phone_number: "+14155550142", turns: [{customer: Hi}]}
  - advance: 5m
  - message: {sender: 1, from: "+14155550142", text: "Are you open?"}
  - end: {}
Each step takes the fields of the command with its name, or advances the time. "receipt" and "end" without fields use the last message and the last conversation.`,
  view: idView((it: { step: string }) => it.step),
  async run(context, { input, flags }) {
    if (input.steps === undefined) throw usageError('Missing scenario.', 'Pass --file scenario.yaml or --steps.')
    const account = flags.account === undefined ? {} : { account: await resolveAccount(context, flags.account) }
    const answer = await sendRequest(context, simulate.run, { ...input, ...account })
    if (!answer) return
    const { out } = context
    const { steps } = answer.data
    const print = async (): Promise<void> => {
      for (const { step, message, data } of steps) {
        await out.line(`${step}: ${message}`)
        await printJobs(context, (data as { done?: ClockState['done'] }).done ?? [])
      }
    }
    await out.result(answer.data, print, { view: idView(() => steps.length) })
  },
})

export const sender = simulationCommand(simulate.sender, {
  examples: ['--sender 1 --status offline', '--sender 1 --quality-rating RED --messaging-limit 250'],
  notes: 'The platform syncs senders about every 5 minutes.',
})

export const template = simulationCommand(simulate.template, {
  examples: [
    '--sender 1 --template summer_whitening --status approved',
    '--sender 1 --template 1 --status rejected --json',
  ],
  notes: 'The platform syncs templates about every 4 hours.',
})
