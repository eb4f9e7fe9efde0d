import { leads } from '../../../contract/resources/leads.ts'
import { command, repeatedFlag } from '../../commandline/command.ts'
import { sendRequest } from '../../connection/send-request.ts'
import { printMessage } from '../../consent/delete-resource.ts'
import { parseVariables } from '../../input/parse-variables.ts'
import { normalizeLeadNumbers } from '../../input/phone-number.ts'
import { resolveId } from '../../input/resolve-target.ts'
import { promptChanges, requireChanges } from '../../updates/prompt-changes.ts'
import { campaignFlag, target as campaignTarget } from '../campaigns/view.ts'
import { argument, leadTarget, varFlag } from './view.ts'

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
    const { writableFields } = await import('../../updates/writable-fields.ts')
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
