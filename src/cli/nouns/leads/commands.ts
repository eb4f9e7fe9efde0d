// Commands of `leads`: tree.ts loads each by its export, where `remove` is the verb `delete`. Scripts have verbs and flags:
// they are added, not renamed.

import { leads } from '../../../contract/resources/leads.ts'
import { command, repeatedFlag } from '../../program/commandline/command.ts'
import { deleteCommand } from '../../program/commandline/delete-command.ts'
import { getFromListCommand } from '../../program/commandline/get-from-list-command.ts'
import { listCommand } from '../../program/commandline/list-command.ts'
import { sendRequest } from '../../program/connection/send-request.ts'
import { printMessage } from '../../program/consent/delete-resource.ts'
import { usageError } from '../../program/errors/usage-error.ts'
import { parseVariables } from '../../program/input/parse-variables.ts'
import { normalizeLeadNumbers } from '../../program/input/phone-number.ts'
import { withListHint } from '../../program/input/request-by-id.ts'
import { resolveId } from '../../program/input/resolve-target.ts'
import { printWriteResult } from '../../program/output/print-result.ts'
import { promptMissingFields } from '../../program/prompts/prompt-fields.ts'
import { promptChanges, requireChanges } from '../../program/updates/prompt-changes.ts'
import { writableFields } from '../../program/updates/writable-fields.ts'
import { warnOfNoCommonHour } from '../campaigns/no-common-hour.ts'
import { campaignFlag, target as campaignTarget } from '../campaigns/view.ts'
import { argument, leadTarget, varFlag, view } from './view.ts'

export const create = command({
  endpoint: leads.create,
  filledFields: ['campaign_id'],
  flags: [campaignFlag, varFlag],
  examples: [
    '--campaign 1 --phone-number +14155550111 --var first_name=Anna',
    '--campaign "Call back" --phone-number +14155550112 --secondary-contacts \'[{phone_number: +14155550113}]\'',
    '--file lead.yaml',
  ],
  notes:
    'A campaign accepts each number once, unless you pass --allow-duplicate. Secondary contacts require a call campaign.',
  view,
  async run(context, { input, flags }) {
    const campaign = flags.campaign ?? input.campaign_id
    const missing = [
      ...(campaign === undefined ? ['--campaign'] : []),
      ...(input.phone_number === undefined ? ['--phone-number'] : []),
    ]
    if (missing.length > 0 && !context.interactive)
      throw usageError(`Missing ${missing.join(', ')}.`, `See: parley ${context.commandName} --help.`)
    const campaign_id = await resolveId(
      context,
      campaign === undefined ? undefined : String(campaign),
      campaignTarget,
      '--campaign',
    )
    const variables = {
      ...(input.variables as object | undefined),
      ...parseVariables(repeatedFlag(flags, 'var'), 'Example: --var first_name=Anna.'),
    }
    const draft = { ...input, campaign_id, ...(Object.keys(variables).length > 0 && { variables }) }
    const answer = await withListHint(campaignTarget, async () =>
      sendRequest(
        context,
        leads.create,
        await normalizeLeadNumbers(await promptMissingFields(context, leads.create, draft)),
      ),
    )
    if (!answer) return
    const { message, data } = answer
    await printWriteResult(context, message, data, `parley leads list --campaign ${campaign_id}`)
    await warnOfNoCommonHour(context, { campaign_id: data.campaign_id, phone_number: data.phone_number })
  },
})

export const remove = deleteCommand({
  endpoint: leads.delete,
  argument,
  examples: ['5', '+14155550154 --yes'],
  target: leadTarget,
  buildQuestion: (called) => `Delete lead ${called} and its secondary contacts?`,
})

export const get = getFromListCommand({
  summary: 'Show a lead',
  endpoint: leads.list,
  argument,
  examples: ['5', '+14155550154 -o yaml'],
  notes:
    'The platform has no endpoint for a single lead, so the command searches the list, newest first. A phone number is found faster than an id in a long list. If several campaigns have the number, pass the id.\nIf the hours of the campaign are in the time zone of each recipient, contact_hours has the time zones of the lead, where they come from, and when it may be contacted.',
  view,
  target: leadTarget,
})

export const list = listCommand({
  endpoint: leads.list,
  filter: { flag: campaignFlag, target: campaignTarget },
  examples: [
    '',
    '--campaign "Call back" --status created',
    '--phone-number +1415555 --json',
    '--date-from 2026-01-01 --date-to 2026-01-31 --all -o ndjson',
  ],
  notes: 'Sorted from newest to oldest. Dates are whole days in UTC.',
  view,
})

export const update = command({
  endpoint: leads.update,
  argument,
  filledFields: ['campaign_id'],
  flags: [campaignFlag, varFlag],
  examples: [
    '5 --status completed',
    '+14155550154 --var first_name=Grace',
    '5 --status created --campaign "Call back"',
  ],
  notes:
    'Omitted fields are unchanged. Variables are merged into the existing ones. The status created queues the lead again with no attempts counted.',
  async run(context, { argument, input, flags }) {
    const variables = {
      ...(input.variables as object | undefined),
      ...parseVariables(repeatedFlag(flags, 'var'), 'Example: --var first_name=Anna.'),
    }
    const campaign = flags.campaign ?? input.campaign_id
    const change = { ...input, ...(Object.keys(variables).length > 0 && { variables }) }
    if (campaign === undefined)
      requireChanges(context, change, 'Pass --status, --phone-number, --campaign, --var or --file.')
    const id = await resolveId(context, argument, leadTarget(argument))
    const moved = campaign !== undefined && { campaign_id: await resolveId(context, String(campaign), campaignTarget) }
    const changes = moved ? change : await promptChanges(context, change)
    const wanted = await normalizeLeadNumbers({ ...changes, ...moved })
    const { change: sent, live } = await writableFields(context, {
      endpoint: leads.update,
      ids: { id },
      change: wanted,
    })
    const { dryRun, printCurl } = context.globals
    if (live && !dryRun && !printCurl && Object.keys(sent).length === 0 && Object.keys(wanted).length > 0)
      return printMessage(context, 'No changes', id)
    const answer = await sendRequest(context, leads.update, { ...sent, id }, { history: { previous: live } })
    if (answer) await printMessage(context, answer.message, id)
  },
})
