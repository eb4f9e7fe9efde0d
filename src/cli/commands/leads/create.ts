import { leads } from '../../../contract/resources/leads.ts'
import { command, repeatedFlag } from '../../commandline/command.ts'
import { sendRequest } from '../../connection/send-request.ts'
import { usageError } from '../../errors/usage-error.ts'
import { parseVariables } from '../../input/parse-variables.ts'
import { normalizeLeadNumbers } from '../../input/phone-number.ts'
import { withListHint } from '../../input/request-by-id.ts'
import { resolveId } from '../../input/resolve-target.ts'
import { printWriteResult } from '../../output/print-result.ts'
import { promptMissingFields } from '../../prompts/prompt-fields.ts'
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
    if (answer)
      await printWriteResult(context, answer.message, answer.data, `parley leads list --campaign ${campaign_id}`)
  },
})
