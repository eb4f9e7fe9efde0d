import { leads } from '../../../contract/leads.ts'
import { command, repeated } from '../../command.ts'
import { askMissing } from '../../missing.ts'
import { send } from '../../requests.ts'
import { printMade } from '../../result.ts'
import { resolveId } from '../../target.ts'
import { usage } from '../../usage.ts'
import { variablesGiven } from '../../variables.ts'
import { campaignFlag, target as campaignTarget } from '../campaigns/view.ts'
import { varFlag, view } from './view.ts'

export const create = command({
  endpoint: leads.create,
  fills: ['campaign_id'],
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
    if (missing.length > 0 && !context.interactive) throw usage(`Missing: ${missing.join(', ')}.`, `See: parley ${context.words} --help.`)
    const campaign_id = await resolveId(context, campaign === undefined ? undefined : String(campaign), campaignTarget, '--campaign')
    const variables = { ...(input.variables as object | undefined), ...variablesGiven(repeated(flags, 'var'), 'For example: --var first_name=Anna.') }
    const draft = { ...input, campaign_id, ...(Object.keys(variables).length > 0 && { variables }) }
    const answer = await send(context, leads.create, await askMissing(context, leads.create, draft))
    if (answer) await printMade(context, answer.message, answer.data, `parley leads list --campaign ${campaign_id}`)
  },
})
