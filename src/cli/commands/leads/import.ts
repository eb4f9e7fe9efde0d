import { leads } from '../../../contract/resources/leads.ts'
import { rowFlags } from '../../bulk/rows/row-flags.ts'
import { command } from '../../commandline/command.ts'
import type { Context } from '../../context.ts'
import { usageError } from '../../errors/usage-error.ts'
import { resolveItem } from '../../input/resolve-target.ts'
import { recordFlag } from '../../prompts/equivalent-command.ts'
import { campaignFlag, target as campaignTarget } from '../campaigns/view.ts'
import { varFlag } from './view.ts'

/** Returns the path of the file with the rows, or prompts for it. @throws ClientFailure `usage` without a terminal */
async function fileOf(context: Context, given: unknown): Promise<string> {
  if (typeof given === 'string') return given
  if (!context.interactive)
    throw usageError(
      'Missing --file. Pass the path of the file, or - for standard input.',
      `See: parley ${context.commandName} --help.`,
    )
  const file = await (await context.prompts()).input('Path of the file with the leads:', {
    validate: (it) => it !== '' || 'Enter a path.',
  })
  recordFlag(context, '--file', file)
  return file
}

export const importLeads = command({
  endpoint: leads.create,
  summary: 'Import leads from a CSV, NDJSON, JSON or YAML file',
  filledFields: ['campaign_id', 'phone_number', 'variables', 'secondary_contacts'],
  allowedFields: ['campaign_id', 'variables', 'allow_dupplicate'],
  rows: 'always',
  flags: [
    campaignFlag,
    ...rowFlags,
    { ...varFlag, describe: 'Variable for every row without a value for it; repeatable' },
  ],
  examples: [
    '--campaign 1 --file leads.csv',
    '--campaign "Call back" --file leads.csv --map phone_number=Mobile --map first_name="Given name" --dry-run',
    '--campaign 1 --file - --format ndjson -o ndjson < leads.ndjson',
  ],
  notes:
    'The number is in the column phone_number (or phone, number, mobile, tel). The columns variables and secondary_contacts hold JSON. Every other column becomes a variable: the column "First name" becomes first_name. Use --map to assign columns yourself.\nAll rows are checked before the first one is sent. Progress is saved. Running the same command again resumes where it stopped.\nNumbers that you imported from another file with the same content in the last 7 days are skipped and listed; pass --resend to send them again. Leads that the campaign already has are not changed. See: parley help bulk.',
  view: { id: (it: { file: string }) => it.file, columns: [], empty: '' },
  async run(context, invocation) {
    const { input, flags } = invocation
    const file = await fileOf(context, flags.file)
    const given = flags.campaign ?? input.campaign_id
    const campaign = await resolveItem(
      context,
      given === undefined ? undefined : String(given),
      campaignTarget,
      '--campaign',
    )
    const { importRows } = await import('./import-rows.ts')
    return importRows(context, campaign, { ...invocation, flags: { ...flags, file } })
  },
})
