import type { Output } from '../../../../contract/endpoint/endpoint.ts'
import type { ExitName } from '../../../../contract/errors/exit-codes.ts'
import { wireCode } from '../../../../contract/errors/failures.ts'
import { campaigns } from '../../../../contract/resources/campaigns.ts'
import { leads, maxBatchLeads } from '../../../../contract/resources/leads.ts'
import { isObject } from '../../../../contract/values/json-object.ts'
import { parseJson } from '../../../../node/json.ts'
import { campaignFlag, target as campaignTarget } from '../../../nouns/campaigns/view.ts'
import { varFlag } from '../../../nouns/leads/view.ts'
import { command, type Invocation, repeatedFlag } from '../../../program/commandline/command.ts'
import type { Terms } from '../../../program/consent/require-confirmation.ts'
import type { Context } from '../../../program/context.ts'
import { pathId } from '../../../program/input/ids.ts'
import { parseVariables } from '../../../program/input/parse-variables.ts'
import { resolveItem } from '../../../program/input/resolve-target.ts'
import { idView } from '../../../program/output/format.ts'
import type { ListedItem } from '../../../program/resources/resource.ts'
import type { BulkJob } from '../bulk-job.ts'
import { formatCount } from '../progress-bar.ts'
import type { Problem, RowBatches, RowOperation, Verdict } from '../row-operation.ts'
import { chooseFile } from '../rows/choose-file.ts'
import { phoneColumns } from '../rows/phone-columns.ts'
import { rowFlags } from '../rows/row-flags.ts'
import { rowOptions } from '../rows/row-options.ts'
import { runRows } from '../run-rows.ts'
import { warnOfNeverContacted } from './never-contacted.ts'

/**
 * Maximum number of requests in flight. The local platform commits many requests together; remote deployments get
 * fewer.
 */
const concurrency = { local: 128, remote: 16 }

/** Fields that hold JSON in a cell. */
const nested = ['variables', 'secondary_contacts'] as const

/** Imports the rows of a file as leads of a campaign. */
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
  view: idView((it: { file: string }) => it.file),
  async run(context, invocation) {
    const { input, flags } = invocation
    const file = await chooseFile(context, flags.file, 'leads')
    const given = flags.campaign ?? input.campaign_id
    const campaign = await resolveItem(
      context,
      given === undefined ? undefined : String(given),
      campaignTarget,
      '--campaign',
    )
    return importRows(context, campaign, { ...invocation, flags: { ...flags, file } })
  },
})

/** Imports rows as leads of a campaign. */
async function importRows(
  context: Context,
  campaign: ListedItem,
  invocation: Invocation,
): Promise<ExitName | undefined> {
  const { input, flags } = invocation
  const shared = {
    ...(input.variables as object | undefined),
    ...parseVariables(repeatedFlag(flags, 'var'), 'Example: --var first_name=Anna.'),
  }
  const allowsDuplicates = input.allow_dupplicate === true
  const isLocal = context.globals.dryRun ? false : (await context.connection()).via !== 'remote'
  const constants = { campaign_id: pathId(campaign.id), allow_dupplicate: allowsDuplicates }
  const operation: RowOperation = {
    nouns: ['lead', 'leads'],
    progressVerb: 'Importing',
    doneVerb: 'imported',
    endpoint: leads.create,
    // A repeated request with other rows needs no key as long as each lead is recognized by its number.
    ...(!allowsDuplicates && { batches: leadBatches(constants.campaign_id) }),
    target: `campaign ${campaign.id}`,
    phoneField: 'phone_number',
    fields: {
      known: {
        phone_number: phoneColumns,
        variables: [],
        secondary_contacts: [],
      },
      required: ['phone_number'],
      variables: 'any',
      ignored: ['campaign_id'],
    },
    allowsDuplicates,
    duplicateHint: 'Remove one of them, or pass --allow-duplicate.',
    resendHint: allowsDuplicates
      ? 'To create each lead a second time, pass --resend.'
      : 'To import all rows again, for example after leads were deleted, pass --resend. Leads that the campaign has are skipped.',
    existingHint: 'Existing leads were not changed. Change one: parley leads update <lead>.',
    // Without a key, the platform recognizes a repeated lead by its number.
    usesIdempotencyKeys: allowsDuplicates,
    contentFields: ['variables', 'secondary_contacts'],
    warnOf: (numbers) => warnOfNeverContacted(context, constants.campaign_id, numbers),
    concurrency: isLocal ? concurrency.local : concurrency.remote,
    bodyOf: (fields, own) => bodyOf({ ...constants, ...fields }, shared, own),
    problemsOf: nestedProblems,
    classifyFailure: (failure) => classifyFailure(failure, allowsDuplicates),
    idOf: (answer) => (answer as { data?: { id?: number } }).data?.id,
  }
  return runRows(context, operation, rowOptions(invocation), (job) =>
    buildConfirmation(context, job, constants.campaign_id),
  )
}

/** Returns how the leads of a campaign are created together. */
const leadBatches = (campaign: number): RowBatches => ({
  endpoint: leads.createBatch,
  capability: leads.createBatch.capability,
  size: maxBatchLeads / 2,
  bodyOf: (bodies) => ({
    campaign_id: campaign,
    leads: bodies.map(({ campaign_id: _, allow_dupplicate: __, ...lead }) => lead),
  }),
  resultsOf: (answer) => (answer as Output<typeof leads.createBatch>).results ?? [],
})

function bodyOf(
  fields: Record<string, unknown>,
  shared: object,
  own: Record<string, unknown>,
): Record<string, unknown> {
  for (const name of nested) if (typeof fields[name] === 'string') fields[name] = parseJsonOrText(fields[name])
  const given = fields.variables
  if (given !== undefined && !isObject(given)) return fields
  const variables = { ...shared, ...(given as object | undefined), ...own }
  if (Object.keys(variables).length > 0) fields.variables = variables
  return fields
}

/** Parses JSON. Returns other text unchanged, which the schema then rejects. */
function parseJsonOrText(text: string): unknown {
  try {
    return parseJson(text)
  } catch {
    return text
  }
}

const nestedProblems = (body: Record<string, unknown>): Problem[] =>
  nested.flatMap((field) =>
    typeof body[field] === 'string' ? [{ field, message: 'Invalid JSON. Example: {"first_name": "Anna"}.' }] : [],
  )

function classifyFailure(
  failure: { readonly exit: ExitName; readonly code: string; readonly status?: number; readonly sent?: boolean },
  allowsDuplicates: boolean,
): Verdict {
  if (failure.code === wireCode('leads.duplicate')) return 'already'
  if (failure.exit === 'rejected' || failure.exit === 'conflict') return 'failed'
  if (failure.exit === 'unknown') return 'unknown'
  const isOpen =
    failure.sent === true &&
    (failure.status === undefined ||
      failure.status >= 500 ||
      failure.status === 408 ||
      (failure.status >= 200 && failure.status < 300))
  if (!isOpen) return 'stop'
  return allowsDuplicates ? 'unknown' : 'again'
}

async function buildConfirmation(
  context: Context,
  { todo, operation }: BulkJob,
  id: number,
): Promise<Terms | undefined> {
  const { data: campaign } = await context.call(campaigns.get, { id })
  const isRunning = campaign.status === 'in-progress'
  const verb = campaign.channel === 'call' ? 'calls' : 'messages'
  if (isRunning)
    await context.notes.warn(
      `Campaign "${campaign.name}" (${id}) is in progress. It ${verb} these leads as soon as they are imported.`,
    )
  const [one, many] = operation.nouns
  const question = `Import ${formatCount(todo)} ${todo === 1 ? one : many} into "${campaign.name}" (${id})?`
  // Leads can be deleted again, so only people are asked.
  return context.interactive
    ? { question, refusalMessage: '', terms: { 'The status of the campaign': String(campaign.status) } }
    : undefined
}
