import { campaigns } from '../../../contract/resources/campaigns.ts'
import { type CommandInput, command, type Invocation } from '../../commandline/command.ts'
import { requireCapability } from '../../connection/require-capability.ts'
import type { Context } from '../../context.ts'
import { usageError } from '../../errors/usage-error.ts'
import { resolveId, type Target } from '../../input/resolve-target.ts'
import { findInList, type ResourceRecord, resolveForUpdate } from '../../updates/previous-record.ts'
import { promptChanges, requireChanges } from '../../updates/prompt-changes.ts'
import { applyUpdate } from '../../updates/send-update.ts'
import { target as assistantTarget } from '../assistants/view.ts'
import { senderTarget, templateTarget } from '../messaging/view.ts'
import { type NamedField, named, numberTarget } from './named-fields.ts'
import { argument, target, view } from './view.ts'

export const update = command({
  endpoint: campaigns.update,
  argument,
  filledFields: Object.keys(named),
  flags: Object.entries(named).map(([field, it]) => ({ ...it, field })),
  examples: ['2 --max-retries 2', '1 --assistant Recall --name "Spring check-ups"', '2 --file campaign.yaml'],
  notes:
    'Omitted fields are unchanged. A campaign that is running or scheduled must be stopped first (exit code 5). The channel cannot be changed, and settings of other channels are refused (exit code 2).',
  elsewhere: 'Create a campaign with the new settings: parley campaigns create.',
  view,
  async run(context, { argument: given, input, flags }) {
    await requireCapability(context, campaigns.update)
    const isNamed = Object.keys(named).some((field) => flagValue(flags, field as NamedField) !== undefined)
    if (!isNamed) requireChanges(context, input, 'Pass at least one field as a flag, with --set or with --file.')
    const { id, previous } = await resolveForUpdate(context, given, target, {
      read: findInList(target),
      isRequired: flags.template !== undefined,
    })
    const fields = isNamed ? await withNames(context, { input, flags }, previous) : input
    await applyUpdate(context, {
      endpoint: campaigns.update,
      ids: { id },
      change: await promptChanges(context, fields),
      previous,
      next: `parley campaigns get ${id}`,
    })
  },
})

const flagValue = (flags: Invocation['flags'], field: NamedField): string | undefined => {
  const value = flags[named[field].flags.replace(/^--| .*/g, '')]
  return value === undefined ? undefined : String(value)
}

/** Returns the fields with the ids of the resources that flags name. */
async function withNames(
  context: Context,
  { input, flags }: Pick<Invocation, 'input' | 'flags'>,
  before: ResourceRecord | undefined,
): Promise<CommandInput> {
  const fields: CommandInput = { ...input }
  const resolve = async (field: NamedField, of: Target): Promise<void> => {
    const value = flagValue(flags, field)
    if (value !== undefined) fields[field] = await resolveId(context, value, of, named[field].flags.replace(/ .*/, ''))
  }
  await resolve('assistant_id', assistantTarget)
  await resolve('messaging_sender_id', senderTarget)
  const sender = fields.messaging_sender_id ?? before?.messaging_sender_id
  if (flags.template !== undefined && typeof sender !== 'number')
    throw usageError('--template requires the sender of the template.', 'Pass --sender too.')
  if (typeof sender === 'number') await resolve('messaging_template_id', templateTarget(sender))
  await resolve('sms_from_phone_number_id', numberTarget)
  return fields
}
