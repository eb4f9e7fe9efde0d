// Commands of `campaigns`: tree.ts loads each by its export, where `remove` is the verb `delete`. Scripts have verbs and
// flags: they are added, not renamed.

import { isReplay } from '../../../client/journal/outcome-detail.ts'
import { paginate } from '../../../client/paginate.ts'
import type { Output } from '../../../contract/endpoint/endpoint.ts'
import { assistants } from '../../../contract/resources/assistants.ts'
import { campaigns, channels, requiredByChannel } from '../../../contract/resources/campaigns.ts'
import { numbers } from '../../../contract/resources/numbers.ts'
import type { ResourceRecord } from '../../../contract/values/json-object.ts'
import { isNumericId } from '../../../contract/values/numeric-id.ts'
import { isRunningCampaign, stateText } from '../../../contract/values/states.ts'
import { type CommandInput, command, type Invocation } from '../../program/commandline/command.ts'
import { deleteCommand } from '../../program/commandline/delete-command.ts'
import { getCommand } from '../../program/commandline/get-command.ts'
import { requireCapability } from '../../program/connection/require-capability.ts'
import { previewRequest, sendRequest } from '../../program/connection/send-request.ts'
import { displayName, inUseNote } from '../../program/consent/delete-resource.ts'
import { confirmTerms, requireConfirmation, type Terms } from '../../program/consent/require-confirmation.ts'
import type { Context } from '../../program/context.ts'
import { usageError } from '../../program/errors/usage-error.ts'
import { withListHint } from '../../program/input/request-by-id.ts'
import { resolveId, resolveItem } from '../../program/input/resolve-target.ts'
import { changeSelected, selectionFlag, selectionNote } from '../../program/lists/selection.ts'
import { spendingFlags } from '../../program/operations/billing-flags.ts'
import { idView, type View } from '../../program/output/format.ts'
import { printList } from '../../program/output/print-list.ts'
import { printWriteResult, toSentence } from '../../program/output/print-result.ts'
import { itemShape } from '../../program/output/tables/item-shape.ts'
import { promptChoices } from '../../program/prompts/choices.ts'
import { recordFlag } from '../../program/prompts/equivalent-command.ts'
import { promptMissingFields } from '../../program/prompts/prompt-fields.ts'
import type { Target } from '../../program/resources/resource.ts'
import { findInList, resolveForUpdate } from '../../program/updates/previous-record.ts'
import { promptChanges, requireChanges } from '../../program/updates/prompt-changes.ts'
import { applyUpdate } from '../../program/updates/send-update.ts'
import { target as assistantTarget } from '../assistants/view.ts'
import { senderFlag, senderTarget, templateTarget } from '../messaging/view.ts'
import { warnOfNoCommonHour } from './no-common-hour.ts'
import { readStartTerms } from './start-terms.ts'
import { argument, target, view, viewWith } from './view.ts'
import { campaignWait } from './wait.ts'

/** Maximum number of assistants to read for a column of names. */
const maxAssistants = 500

/** Returns the names of assistants by id; empty for machine output, without the column, or if they cannot be read. */
async function assistantNames(context: Context): Promise<ReadonlyMap<unknown, string>> {
  const names = new Map<unknown, string>()
  const { settings } = context.out
  // "Assistant" is the title of the column in view.ts.
  const isShown = settings.fields?.some((it) => /^assistant$/i.test(it)) !== false
  if (settings.format !== 'table' || !isShown || context.globals.printCurl || context.globals.envelope) return names
  try {
    const found = paginate<typeof assistants.list, { id: number; name: string }>(
      context.call,
      assistants.list,
      {},
      {
        limit: maxAssistants,
        signal: context.system.signal,
      },
    )
    for await (const { id, name } of found) names.set(id, name)
  } catch {
    // Names are optional: the request for the campaigns reports the failure.
  }
  return names
}

const numberTarget: Target = {
  singular: 'number',
  list: numbers.list,
  by: ['phone_number', 'nickname'],
  label: (it) => `${it.phone_number} (${it.id})`,
}

/** Fields with a shorter flag that also accepts a name. */
const named = {
  assistant_id: {
    flags: '--assistant <id>',
    describe: 'Id, UUID or name of the assistant, required for call campaigns',
  },
  messaging_sender_id: {
    ...senderFlag,
    describe: 'Id, number or name of the sender, required for messaging campaigns',
  },
  messaging_template_id: {
    flags: '--template <id>',
    describe: 'Id or name of the template, required for messaging campaigns',
  },
  sms_from_phone_number_id: {
    flags: '--from <id>',
    describe: 'Id, number or nickname of the number to send from, required for SMS campaigns',
  },
} as const
type NamedField = keyof typeof named

type Status = Output<typeof campaigns.updateStatus>

const statusView: View<Status['data']> = idView((it) => it.campaign_id)

/**
 * Prints the result of starting or stopping a campaign: a sentence and the next command for people, the status for
 * programs.
 */
async function printStatus(context: Context, answer: Status, next: string): Promise<void> {
  const { out, notes } = context
  const { message, data } = answer
  await out.result(
    data,
    `${isReplay(answer) ? 'Already done before. Nothing was changed.' : toSentence(message)}${typeof data.status === 'string' ? ` Status: ${stateText(data.status)}` : ''}`,
    itemShape(context.command),
  )
  if (out.isForPeople) await notes.note(`Next: ${next}`)
}

const flagOf = (field: string): string =>
  Object.hasOwn(named, field) ? named[field as NamedField].flags.replace(/ .*/, '') : `--${field.replaceAll('_', '-')}`

export const create = command({
  endpoint: campaigns.create,
  filledFields: Object.keys(named),
  flags: Object.entries(named).map(([field, definition]) => ({ ...definition, field })),
  examples: [
    '--name "Spring check-ups" --assistant Recall --timezone America/Los_Angeles',
    '--name Reminders --channel messaging --sender 1 --template appointment_reminder --text-variable-mapping \'{"1": first_name, "2": appointment_day}\'',
    '--name Invitation --channel sms --from "Front desk" --sms-body "Hello {{first_name}}, your check-up is due."',
    '--name "Year-end call" --assistant Recall --allowed-hours-start-time 09:00 --allowed-hours-end-time 19:00 --window-timezone recipient --holidays 2026-12-25,2027-01-01',
    '--file campaign.yaml',
  ],
  notes:
    'The campaign is a draft until you start it. Settings of other channels are refused (exit code 2).\n--window-timezone recipient evaluates hours, days and holidays in every time zone in which the lead may be: that of --timezone-variable, else those of its number. A lead outside them waits; parley leads get shows until when.',
  view,
  async run(context, invocation) {
    const answer = await sendRequest(context, campaigns.create, await complete(context, invocation))
    if (!answer) return
    await printWriteResult(context, answer.message, answer.data, `parley leads create --campaign ${answer.data.id}`)
    await warnOfUnusedVariable(context, answer.data)
  },
})

/** Warns of a variable with time zones that the hours of a campaign do not use. */
async function warnOfUnusedVariable(
  { notes }: Context,
  { timezone_variable: name, window_timezone: zone }: Readonly<Record<string, unknown>>,
): Promise<void> {
  if (typeof name === 'string' && zone !== 'recipient')
    await notes.warn(
      `The variable "${name}" does not change the hours of the campaign, which are in its own time zone: only hours of the account use it. Pass --window-timezone recipient, too.`,
    )
}

/**
 * Completes the fields that the channel requires and resolves names to ids. Prompts for missing ones. @throws
 * ClientFailure `usage` with the missing flags, without a terminal
 */
async function complete(context: Context, { input, flags }: Invocation): Promise<CommandInput> {
  const draft: CommandInput = { ...input }
  const given = (field: NamedField): string | undefined => {
    const value = flags[flagOf(field).slice(2)] ?? input[field]
    return value === undefined ? undefined : String(value)
  }
  const isNamed = (field: string): field is NamedField => Object.hasOwn(named, field)
  if (
    context.interactive &&
    Object.keys(input).length === 0 &&
    !Object.keys(named).some((it) => given(it as NamedField))
  ) {
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
  const wanted = (field: NamedField): boolean => needed.includes(field) || given(field) !== undefined
  const resolve = async (field: NamedField, target: Target): Promise<void> => {
    if (wanted(field)) draft[field] = await resolveId(context, given(field), target, flagOf(field))
  }
  await resolve('assistant_id', assistantTarget)
  await resolve('messaging_sender_id', senderTarget)
  // A template is found among those of the sender.
  if (isNumericId(draft.messaging_sender_id))
    await resolve('messaging_template_id', templateTarget(draft.messaging_sender_id as number))
  await resolve('sms_from_phone_number_id', numberTarget)
  return draft
}

export const remove = deleteCommand({
  endpoint: campaigns.delete,
  argument,
  examples: ['2', '"Call back" --yes'],
  notes: inUseNote,
  target,
  dependencyKind: 'campaigns',
  buildQuestion: (called) => `Delete campaign ${called}? It is stopped first, and all its leads are deleted.`,
})

export const get = getCommand({
  endpoint: campaigns.get,
  argument,
  examples: ['1', '"Call back" -o yaml', '1 --wait=started --wait-timeout 2h'],
  view,
  target,
  waits: campaignWait,
  async toShown(context, campaign) {
    const { assistant_id: assistant } = campaign
    const name = assistant === null ? undefined : (await assistantNames(context)).get(assistant as number)
    // Machine output keeps the id.
    return name === undefined ? campaign : { ...campaign, assistant_id: `${name} (${assistant})` }
  },
})

export const list = command({
  endpoint: campaigns.list,
  isList: true,
  examples: ['', '--json', '--fields id,name,status'],
  view,
  run: async (context, { input }) =>
    printList(context, campaigns.list, input, { view: viewWith(await assistantNames(context)) }),
})

/**
 * Command `campaigns start`, which costs money: the preview and the question come before the only request, and the question is asked again
 * if its terms have changed.
 */
export const start = command({
  endpoint: campaigns.updateStatus,
  summary: 'Start a campaign, charged to the balance',
  risk: 'spends',
  argument,
  flags: spendingFlags,
  filledFields: ['campaign_id', 'action'],
  allowedFields: [],
  examples: ['1 --yes', 'Reminders', '1 --budget 20 --yes', '1 --yes --wait=started -o ndjson'],
  notes:
    'A started campaign calls or messages its leads. If it has a scheduled start in the future, it waits until then. It requires a balance above zero and at least one lead, unless mark_complete_when_no_leads is false.\n--budget is compared with the highest price of the leads that the campaign has now: every attempt, calls with the maximum duration of the assistant, and the fallback. Leads that are added later are not included.',
  view: statusView,
  waits: campaignWait,
  async run(context, { argument }) {
    const campaign_id = await resolveId(context, argument, target)
    const input = { campaign_id, action: 'start' }
    if (await previewRequest(context, campaigns.updateStatus, input)) return
    if (!context.globals.yes) {
      const read = (): Promise<Terms> => readStartTerms(context, campaign_id)
      await confirmTerms(context, await read(), read)
    }
    context.nameStarted({ id: campaign_id }, campaignWait)
    const answer = await withListHint(target, () => context.call(campaigns.updateStatus, input))
    await printStatus(context, answer, `parley leads list --campaign ${campaign_id}`)
    // The question has named them.
    if (context.globals.yes) await warnOfNoCommonHour(context, { campaign_id })
  },
})

/** The endpoint with the risk of stopping: unlike starting, it costs nothing and can be repeated. */
const stopping = { ...campaigns.updateStatus, risk: 'destructive' } as const

export const stop = command({
  endpoint: campaigns.updateStatus,
  summary: 'Stop a campaign',
  risk: 'destructive',
  reducesHarm: true,
  argument: { ...argument, optional: true },
  flags: [selectionFlag('campaigns that run')],
  changesSelected: true,
  filledFields: ['campaign_id', 'action'],
  allowedFields: [],
  exits: ['partial'],
  examples: ['1 --yes', '--filter "name~spring" --yes', '--filter channel=sms --dry-run'],
  notes: `No further leads are contacted until you start the campaign again. To stop everything at once: parley stop --all.\n${selectionNote}`,
  view: statusView,
  async run(context, invocation) {
    const { argument, flags } = invocation
    if (flags.filter !== undefined)
      return changeSelected(context, invocation, {
        list: 'campaigns list',
        noun: 'campaigns',
        called: ['campaign', 'campaigns'],
        verb: ['Stop', 'stopped'],
        isMeant: ({ status }) => isRunningCampaign(status),
        endpoint: stopping,
        inputOf: ({ id }) => ({ campaign_id: id, action: 'stop' }),
        withoutEntry: 'stopped',
        apply: ({ call }, { id }) => call(stopping, { campaign_id: Number(id), action: 'stop' }),
      })
    const item = await resolveItem(context, argument, target)
    const campaign_id = item.id as number
    const input = { campaign_id, action: 'stop' }
    if (await previewRequest(context, campaigns.updateStatus, input)) return undefined
    await requireConfirmation(context, {
      question: `Stop campaign ${displayName(item, target)}? No further leads are contacted until you start it again.`,
      refusalMessage: `Stopping campaign ${campaign_id} interrupts it and requires confirmation.`,
    })
    await printStatus(
      context,
      await withListHint(target, () => context.call(stopping, input)),
      `parley campaigns start ${campaign_id}`,
    )
    return undefined
  },
})

export const update = command({
  endpoint: campaigns.update,
  argument,
  filledFields: Object.keys(named),
  flags: Object.entries(named).map(([field, definition]) => ({ ...definition, field })),
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
    const { dryRun, printCurl } = context.globals
    if (fields.timezone_variable !== undefined && !dryRun && !printCurl)
      await warnOfUnusedVariable(context, (await context.call(campaigns.get, { id: id as number })).data)
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
