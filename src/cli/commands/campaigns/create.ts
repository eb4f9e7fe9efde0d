import { campaigns, channels, requiredByChannel } from '../../../contract/resources/campaigns.ts'
import { type CommandInput, command, type Invocation } from '../../commandline/command.ts'
import { sendRequest } from '../../connection/send-request.ts'
import type { Context } from '../../context.ts'
import { usageError } from '../../errors/usage-error.ts'
import { resolveId, type Target } from '../../input/resolve-target.ts'
import { printWriteResult } from '../../output/print-result.ts'
import { promptChoices } from '../../prompts/choices.ts'
import { recordFlag } from '../../prompts/equivalent-command.ts'
import { promptMissingFields } from '../../prompts/prompt-fields.ts'
import { target as assistantTarget } from '../assistants/view.ts'
import { senderTarget, templateTarget } from '../messaging/view.ts'
import { type NamedField as Named, named, numberTarget } from './named-fields.ts'
import { view } from './view.ts'

const flagOf = (field: string): string =>
  Object.hasOwn(named, field) ? named[field as Named].flags.replace(/ .*/, '') : `--${field.replaceAll('_', '-')}`

export const create = command({
  endpoint: campaigns.create,
  filledFields: Object.keys(named),
  flags: Object.entries(named).map(([field, it]) => ({ ...it, field })),
  examples: [
    '--name "Spring check-ups" --assistant Recall --timezone America/Los_Angeles',
    '--name Reminders --channel messaging --sender 1 --template appointment_reminder --text-variable-mapping \'{"1": first_name, "2": appointment_day}\'',
    '--name Invitation --channel sms --from "Front desk" --sms-body "Hello {{first_name}}, your check-up is due."',
    '--file campaign.yaml',
  ],
  notes: 'The campaign is a draft until you start it. Settings of other channels are refused (exit code 2).',
  view,
  async run(context, invocation) {
    const answer = await sendRequest(context, campaigns.create, await complete(context, invocation))
    if (answer)
      await printWriteResult(context, answer.message, answer.data, `parley leads create --campaign ${answer.data.id}`)
  },
})

/**
 * Completes the fields that the channel requires and resolves names to ids. Prompts for missing ones. @throws
 * ClientFailure `usage` with the missing flags, without a terminal
 */
async function complete(context: Context, { input, flags }: Invocation): Promise<CommandInput> {
  const draft: CommandInput = { ...input }
  const given = (field: Named): string | undefined => {
    const value = flags[flagOf(field).slice(2)] ?? input[field]
    return value === undefined ? undefined : String(value)
  }
  const isNamed = (field: string): field is Named => Object.hasOwn(named, field)
  if (context.interactive && Object.keys(input).length === 0 && !Object.keys(named).some((it) => given(it as Named))) {
    draft.channel = await (await context.prompts()).select(
      'Which channel should contact leads?',
      promptChoices([...channels], String),
    )
    recordFlag(context, '--channel', draft.channel)
  }
  const channel = draft.channel ?? 'call'
  const needed: readonly string[] = Object.hasOwn(requiredByChannel, String(channel))
    ? requiredByChannel[channel as keyof typeof requiredByChannel]
    : []
  const missing = ['name', ...needed].filter((field) => (isNamed(field) ? given(field) : draft[field]) === undefined)
  if (missing.length > 0 && !context.interactive)
    throw usageError(`Missing ${missing.map(flagOf).join(', ')}.`, `See: parley ${context.commandName} --help.`)

  Object.assign(draft, await promptMissingFields(context, campaigns.create, draft))
  if (missing.includes('sms_body')) {
    draft.sms_body = await (await context.prompts()).input('Text, at most 1600 characters:')
    recordFlag(context, flagOf('sms_body'), draft.sms_body)
  }
  const wanted = (field: Named): boolean => needed.includes(field) || given(field) !== undefined
  const resolve = async (field: Named, target: Target): Promise<void> => {
    if (wanted(field)) draft[field] = await resolveId(context, given(field), target, flagOf(field))
  }
  await resolve('assistant_id', assistantTarget)
  await resolve('messaging_sender_id', senderTarget)
  if (typeof draft.messaging_sender_id === 'number')
    await resolve('messaging_template_id', templateTarget(draft.messaging_sender_id))
  await resolve('sms_from_phone_number_id', numberTarget)
  return draft
}
