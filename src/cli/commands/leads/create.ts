import { leads } from '../../../contract/leads.ts'
import { command, repeatedFlag } from '../../command.ts'
import { promptMissingFields } from '../../missing.ts'
import { sendRequest } from '../../requests.ts'
import { printWriteResult } from '../../result.ts'
import { resolveId } from '../../target.ts'
import { usageError } from '../../usage.ts'
import { parseVariables } from '../../variables.ts'
import { campaignFlag, target as campaignTarget } from '../campaigns/view.ts'
import { varFlag, view } from './view.ts'

export const create = command({
  endpoint: leads.create,
  filledFields: ['campaign_id'],
  flags: [campaignFlag, varFlag],
  examples: [
    '--campaign 1 --phone-number +14155550111 --var first_name=Anna',
    '--campaign "Call back" --phone-number +14155550112 --secondary-contacts \'[{phone_number: +14155550113}]\'',
    '--file lead.yaml',
  ],
  notes: 'A campaign has a number once, unless --allow-dupplicate says otherwise. Secondary contacts are for campaigns that call.',
  view,
  async run(context, { input, flags }) {
    const campaign = flags.campaign ?? input.campaign_id
    const missing = [...(campaign === undefined ? ['--campaign'] : []), ...(input.phone_number === undefined ? ['--phone-number'] : [])]
    if (missing.length > 0 && !context.interactive) throw usageError(`Missing: ${missing.join(', ')}.`, `See: parley ${context.commandName} --help.`)
    const campaign_id = await resolveId(context, campaign === undefined ? undefined : String(campaign), campaignTarget, '--campaign')
    const variables = { ...(input.variables as object | undefined), ...parseVariables(repeatedFlag(flags, 'var'), 'For example: --var first_name=Anna.') }
    const draft = { ...input, campaign_id, ...(Object.keys(variables).length > 0 && { variables }) }
    const answer = await sendRequest(context, leads.create, await promptMissingFields(context, leads.create, draft))
    if (answer) await printWriteResult(context, answer.message, answer.data, `parley leads list --campaign ${campaign_id}`)
  },
})
