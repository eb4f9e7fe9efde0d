import { leads } from '../../../contract/resources/leads.ts'
import { rowFlags } from '../../bulk/rows/row-flags.ts'
import { command } from '../../commandline/command.ts'
import type { Context } from '../../context.ts'
import { usageError } from '../../errors/usage-error.ts'
import { resolveItem } from '../../input/resolve-target.ts'
import { recordFlag } from '../../prompts/equivalent-command.ts'
import { campaignFlag, target as campaignTarget } from '../campaigns/view.ts'
import { varFlag } from './view.ts'

/** The file with the rows, asked for on a terminal; elsewhere exit 2. */
async function fileOf(context: Context, given: unknown): Promise<string> {
  if (typeof given === 'string') return given
  if (!context.interactive)
    throw usageError(
      'Which file? Give its path with --file, or - for standard input.',
      `See: parley ${context.commandName} --help.`,
    )
  const file = await (await context.prompts()).input('File with the leads:', {
    validate: (it) => it !== '' || 'A file is needed.',
  })
  recordFlag(context, '--file', file)
  return file
}

export const importLeads = command({
  endpoint: leads.create,
  summary: 'Create a lead for every row of a file: CSV, NDJSON, or a JSON or YAML list',
  filledFields: ['campaign_id', 'phone_number', 'variables', 'secondary_contacts'],
  allowedFields: ['campaign_id', 'variables', 'allow_dupplicate'],
  rows: 'always',
  flags: [
    campaignFlag,
    ...rowFlags,
    { ...varFlag, describe: 'Value of a variable for every row that has none of its own; repeatable' },
  ],
  examples: [
    '--campaign 1 --file leads.csv',
    '--campaign "Call back" --file leads.csv --map phone_number=Mobile --map first_name="Given name" --dry-run',
    '--campaign 1 --file - --format ndjson -o ndjson < leads.ndjson',
  ],
  notes:
    'The column phone_number (or phone, number, mobile, tel) gives the number; variables and secondary_contacts hold JSON. Every other column is a variable of its own name, several words as first_name. --map says otherwise.\nEvery row is checked before the first is sent. Progress is saved: running the same command again resumes where it stopped. Numbers that were imported with the same content in the last 7 days by another file are skipped and named; --resend sends them again. A number the campaign has already stays as it is. See: parley help bulk.',
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
