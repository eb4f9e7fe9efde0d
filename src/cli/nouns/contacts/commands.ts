// Commands of `contacts`: tree.ts loads each by its export. Scripts have verbs and flags: they are added, not renamed.

import { paginate } from '../../../client/paginate.ts'
import type { Output } from '../../../contract/endpoint/endpoint.ts'
import {
  type BlockedContact,
  type ContactHours,
  contactChannels,
  contacts,
  maxBatchContacts,
} from '../../../contract/resources/contacts.ts'
import { formatCsvLine } from '../../../node/format-csv.ts'
import { command, type Invocation } from '../../program/commandline/command.ts'
import { listCommand } from '../../program/commandline/list-command.ts'
import { previewRequest, sendRequest } from '../../program/connection/send-request.ts'
import { requireConfirmation } from '../../program/consent/require-confirmation.ts'
import type { Context } from '../../program/context.ts'
import { usageError } from '../../program/errors/usage-error.ts'
import { parseCount } from '../../program/input/count-flag.ts'
import { normalizePhoneNumber } from '../../program/input/phone-number.ts'
import { idView, type View } from '../../program/output/format.ts'
import { itemShape } from '../../program/output/tables/item-shape.ts'
import { promptChoices } from '../../program/prompts/choices.ts'
import { recordArgument, recordFlag } from '../../program/prompts/equivalent-command.ts'
import { safeText } from '../../program/terminal/safe-text.ts'
import { effectText, readHoursEffect, restoringCommand, waitedText } from './hours-effect.ts'
import { channelFlag, countText, elsewhere, view } from './view.ts'

const argument = { name: 'number', describe: 'Phone numbers, E.164', isVariadic: true } as const

/** Returns the contacts that a command names. Prompts for a missing number or channel on a terminal. */
async function namedContacts(
  context: Context,
  { words, flags, input }: Invocation,
): Promise<{ phone_number: string; channel: string }[]> {
  if (Array.isArray(input.contacts)) return input.contacts
  const given = words.length > 0 ? words : [await promptNumber(context)]
  if (given.length > maxBatchContacts)
    throw usageError(
      `${given.length} numbers are more than ${maxBatchContacts}.`,
      'Import them from a file: parley contacts import --file <path> --channel <channel>.',
    )
  const channel = typeof flags.channel === 'string' ? flags.channel : await promptChannel(context)
  return Promise.all(
    given.map(async (number) => ({ phone_number: (await normalizePhoneNumber(number)) ?? number, channel })),
  )
}

async function promptNumber(context: Context): Promise<string> {
  if (!context.interactive) throw usageError('Missing number. Pass a phone number in E.164.', seeHelp(context))
  const number = await (await context.prompts()).input('Phone number:', {
    validate: (it) => it !== '' || 'Enter a phone number.',
  })
  recordArgument(context, number)
  return number
}

async function promptChannel(context: Context): Promise<string> {
  if (!context.interactive)
    throw usageError('Missing --channel. Pass call, messaging, sms, or all for every channel.', seeHelp(context))
  const prompts = await context.prompts()
  const channel = String(await prompts.select('Channel:', promptChoices([...contactChannels], String)))
  recordFlag(context, '--channel', channel)
  return channel
}

const seeHelp = ({ commandName }: Context): string => `See: parley ${commandName} --help.`

export const block = command({
  endpoint: contacts.block,
  elsewhere,
  argument,
  filledFields: ['contacts'],
  flags: [
    channelFlag,
    { flags: '--reason <text>', describe: 'Reason, at most 500 characters' },
    { flags: '--source <text>', describe: 'Where the request comes from (default: cli)' },
  ],
  examples: [
    '+14155550142 --channel sms',
    '+14155550142 +14155550143 --channel all --reason "Asked by phone on Monday"',
    '+14155550142 --channel call -o json',
  ],
  notes:
    'Nothing is sent to a blocked contact over the channel: no single message or call, no campaign, automation or reply of an assistant. The command answers after sends that had been handed over before have ended or can no longer start, and says how many there were. --channel all blocks every channel. A reply such as START lifts only what a reply such as STOP has blocked.\nUndo it: parley contacts unblock <number> --channel <channel>.',
  async run(context, invocation) {
    const { reason, source } = invocation.flags
    const named = (await namedContacts(context, invocation)).map((contact) => ({
      ...contact,
      ...(typeof reason === 'string' && { reason }),
      source: typeof source === 'string' ? source : 'cli',
    }))
    const answer = await sendRequest(context, contacts.block, { contacts: named })
    if (!answer) return
    const { blocked, already_blocked, in_progress } = answer.data
    const before = already_blocked > 0 ? ` ${countText(already_blocked, 'block')} existed.` : ''
    const open = in_progress > 0 ? ` Sends that had been handed over before: ${in_progress}.` : ''
    await context.out.result(answer.data, `Added ${countText(blocked, 'block')}.${before}${open}`, {
      schema: contacts.block.output.shape.data,
      view: idView(({ blocked: count }) => count),
    })
  },
})

export const unblock = command({
  endpoint: contacts.unblock,
  elsewhere,
  argument,
  filledFields: ['contacts'],
  flags: [channelFlag],
  examples: ['+14155550142 --channel sms', '+14155550142 --channel all -o json'],
  notes: 'The contact can be called and sent messages over the channel again. --channel all unblocks every channel.',
  async run(context, invocation) {
    const answer = await sendRequest(context, contacts.unblock, { contacts: await namedContacts(context, invocation) })
    if (!answer) return
    await context.out.result(answer.data, `Removed ${countText(answer.data.unblocked, 'block')}.`, {
      schema: contacts.unblock.output.shape.data,
      view: idView(({ unblocked }) => unblocked),
    })
  },
})

export const list = listCommand({
  endpoint: contacts.list,
  elsewhere,
  filledFields: ['phone_numbers'],
  examples: ['', '--channel sms --phone-number +1415', '--all -o ndjson'],
  notes: 'Sorted by number. A contact that is blocked on several channels has a row for each.',
  view,
})

const settingsView: View<Output<typeof contacts.settings>['data']> = {
  id: (it) => it.languages.join(','),
  columns: [
    { key: (it) => it.languages.join(', '), field: 'languages', title: 'Languages', priority: 1 },
    { key: (it) => it.stop_words.join(', '), field: 'stop_words', title: 'Further stop words', priority: 1 },
    { key: (it) => it.start_words.join(', '), field: 'start_words', title: 'Further start words', priority: 1 },
    { key: 'confirmation', title: 'Confirmation', priority: 1 },
    {
      key: (it) => it.known_words.map(({ language, stop }) => `${language}: ${stop.join(', ')}`).join('\n'),
      field: 'known_words',
      title: 'Stop words',
      priority: 2,
    },
  ],
  empty: '',
}

export const settings = command({
  endpoint: contacts.settings,
  elsewhere,
  examples: ['', '--json'],
  notes:
    'A reply that consists of one of the words blocks the contact on the channel of the reply, and is confirmed once without a charge. Case, accents, spaces and punctuation do not matter. A longer message with such a word is only recorded, as the event contact.opt_out_suspected.',
  view: settingsView,
  async run(context) {
    const answer = await sendRequest(context, contacts.settings, {})
    if (answer) await context.out.record(answer.data, itemShape(settings))
  },
})

export const updateSettings = command({
  endpoint: contacts.updateSettings,
  elsewhere,
  allowedFields: Object.keys(contacts.updateSettings.body.shape),
  examples: ['--languages en --languages es', '--stop-words "no more" --confirmation "You get no more messages."'],
  notes: 'Without --confirmation, or after "null", the confirmation is that of the language.',
  view: settingsView,
  async run(context, { input }) {
    if (Object.keys(input).length === 0)
      throw usageError(
        'Nothing to change. Pass --languages, --stop-words, --start-words or --confirmation.',
        seeHelp(context),
      )
    const answer = await sendRequest(context, contacts.updateSettings, input)
    if (answer)
      await context.out.result(
        answer.data,
        'Saved the words to opt out. See: parley contacts settings',
        itemShape(updateSettings),
      )
  },
})

const windowsText = (windows: ContactHours['schedule_windows']): string | null =>
  windows?.map(({ start, end }) => `${start}-${end}`).join(', ') ?? null

const hoursView: View<ContactHours> = {
  id: (it) => windowsText(it.schedule_windows) ?? 'always',
  columns: [
    { key: (it) => windowsText(it.schedule_windows), field: 'schedule_windows', title: 'Hours', priority: 1 },
    { key: (it) => it.allowed_days?.join(', '), field: 'allowed_days', title: 'Days', priority: 1 },
    { key: (it) => it.holidays?.join(', '), field: 'holidays', title: 'Holidays', priority: 1 },
    { key: 'timezone', title: 'Time zone without a known one', priority: 2 },
  ],
  empty: '',
}

const hoursElsewhere = 'Set the hours of each campaign: parley campaigns create --schedule-windows <json>.'

export const hours = command({
  endpoint: contacts.hours,
  elsewhere: hoursElsewhere,
  examples: ['', '--json'],
  notes:
    'Campaigns, messages, SMS, calls and automations contact people only while these hours are open, and wait otherwise: parley contacts waiting. A campaign keeps its own hours, too. They are in every time zone in which the recipient may be: parley leads get <number> shows them, and when the lead may be contacted.',
  view: hoursView,
  async run(context) {
    const answer = await sendRequest(context, contacts.hours, {})
    if (answer) await context.out.record(answer.data, itemShape(hours))
  },
})

export const updateHours = command({
  endpoint: contacts.updateHours,
  elsewhere: hoursElsewhere,
  exits: ['consent'],
  examples: [
    '--schedule-windows \'[{start: "09:00", end: "20:00"}]\' --allowed-days monday,tuesday,wednesday,thursday,friday',
    '--holidays 12-25,01-01,2027-03-26',
    '--schedule-windows null --dry-run',
    '--schedule-windows null --allowed-days null --holidays null',
  ],
  notes:
    'A list replaces the one before, and "null" removes the limit. A holiday is a date, such as 2026-12-25, or a day of every year, such as 12-25. What waits is evaluated again: leads of campaigns, messages, SMS and calls, and runs of automations. If messages, SMS or calls start or fail at once, you are asked first, with their number and what they cost at most; without a terminal, pass --yes. A person sends at once with --now, and replies to received messages are not held.',
  view: hoursView,
  async run(context, { input }) {
    if (Object.keys(input).length === 0)
      throw usageError(
        'Nothing to change. Pass --schedule-windows, --allowed-days, --holidays or --timezone.',
        seeHelp(context),
      )
    const effect = await readHoursEffect(context, input)
    const changes = effect && effectText(effect)
    if (changes !== undefined && context.globals.dryRun) await context.notes.note(changes)
    else if (changes !== undefined && !context.globals.printCurl)
      await requireConfirmation(context, {
        question: `${changes} Change the contact hours?`,
        refusalMessage: `${changes} This requires confirmation.`,
      })
    const answer = await sendRequest(context, contacts.updateHours, input)
    if (!answer) return
    const { out, notes } = context
    const waited = effect ? waitedText(effect) : ''
    await out.result(
      answer.data,
      `Saved the contact hours.${waited === '' ? ' See: parley contacts hours' : waited}`,
      itemShape(updateHours),
    )
    if (effect && out.isForPeople) await notes.note(`To restore the hours before: ${restoringCommand(effect, input)}`)
  },
})

/** Columns of an export. `contacts import` reads them. */
const exported = ['phone_number', 'channel', 'reason', 'source', 'created_at'] as const

export const exportContacts = command({
  endpoint: contacts.list,
  elsewhere,
  summary: 'Export blocked contacts as CSV',
  filledFields: ['phone_numbers', 'page', 'per_page'],
  examples: ['', '--channel sms', '-o ndjson --limit 100'],
  notes: 'Prints CSV, or another format with -o. Import it again: parley contacts import --file <path>.',
  view,
  async run(context, { input }) {
    const { out, system, globals } = context
    if (await previewRequest(context, contacts.list, input)) return
    const limit = parseCount(globals.limit, '--limit')
    const found = paginate<typeof contacts.list, BlockedContact>(context.call, contacts.list, input, {
      ...(limit === undefined ? { all: true } : { limit }),
      signal: system.signal,
    })
    if (!out.isForPeople) return void (await out.pages(found.pages(), itemShape(exportContacts)))
    // The header comes with the first page, so that a refused request prints nothing.
    let header = out.settings.header ? formatCsvLine(exported, ',') : ''
    for await (const page of found.pages()) {
      const lines = page.map((contact) =>
        formatCsvLine(
          exported.map((name) => safeText(contact[name] ?? '')),
          ',',
        ),
      )
      await system.streams.stdout.write(`${header}${lines.join('')}`)
      header = ''
    }
    if (header !== '') await system.streams.stdout.write(header)
  },
})
