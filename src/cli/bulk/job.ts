import { createHash } from 'node:crypto'
import { join } from 'node:path'
import { keyMark } from '../../client/credentials.ts'
import { ClientFailure } from '../../client/failure.ts'
import { uuidFrom } from '../../client/uuid.ts'
import type { ExitName } from '../../contract/exits.ts'
import { consent, type Question } from '../consent.ts'
import type { Context } from '../context.ts'
import { dataDir } from '../folders.ts'
import { count, showOnly } from '../requests.ts'
import { counted } from './bar.ts'
import { type Checked, checkRows, mostTold, problemsOf } from './check.ts'
import { asked, headerOf } from './columns.ts'
import { checkPlace, dropKept, failedRows, ours } from './failed-rows.ts'
import type { Kind } from './kind.ts'
import { type Ledger, openLedger } from './ledger.ts'
import { takeLedger } from './ledger-lock.ts'
import { createMapping, type Mapping } from './mapping.ts'
import { type Plan, planRows } from './plan.ts'
import { mappingSentence, showPreview } from './preview.ts'
import { openProgress, type Progress } from './progress.ts'
import { readRows, type Written, writtenAs } from './rows.ts'
import { perform } from './run.ts'
import { openRows, type RowSource } from './source.ts'
import { dryRun, ended, nothingLeft } from './summary.ts'
import { interruptedAs, type Job, type RowFlags, saying } from './work-order.ts'

/** What only the command knows: what to ask before anything is sent. Nothing needs to be asked where it answers undefined. */
export type Asks = (job: Job) => Promise<Question | undefined>

/** Does one thing for every row of a file: checks all of them, asks, sends, and tells what became of each. */
export async function runRows(context: Context, kind: Kind, flags: RowFlags, asks: Asks): Promise<ExitName | undefined> {
  const { world } = context
  const folder = join(dataDir(world), 'bulk')
  const source = await openRows(world, flags.file, folder, flags.stdin)
  try {
    const written = await writtenAs(source, flags.format)
    const mapping = createMapping(kind.fields, await asked(context, kind, await headerOf(source, written), flags.map))
    const checked = await checkAll(context, { source, written, mapping, kind })
    if (world.signal.aborted) return interruptedAs(world.signal)
    if (checked.sample[0] && context.globals.printCurl) return void (await showOnly(context, kind.endpoint, checked.sample[0]))
    const file = join(folder, `${await ledgerName(context, kind, checked.hash)}.ledger`)
    const isDry = context.globals.dryRun === true
    const release = isDry ? () => {} : takeLedger(`${file}.lock`, source.name, world)
    try {
      const head = {
        nonce: uuidFrom(world.random),
        endpoint: kind.endpoint.name,
        target: kind.target,
        file: source.name,
        rows: checked.rows,
        at: timeOf(context),
      }
      const ledger = openLedger({ file, head, anew: flags.resend, durable: kind.endpoint.risk === 'spends' })
      const progress = await progressOf(context, kind, folder, flags, isDry)
      const plan = planRows({ kind, checked, ledger, progress, resend: flags.resend, within: flags.within, now: world.now(), isDry })
      const job: Job = { context, kind, flags, source, written, mapping, checked, ledger, plan, todo: todoOf(context, checked, ledger, plan) }
      try {
        return await go(job, asks, isDry)
      } finally {
        plan.close()
        ledger.close()
      }
    } finally {
      release()
    }
  } finally {
    source.close()
  }
}

async function go(job: Job, asks: Asks, isDry: boolean): Promise<ExitName | undefined> {
  const { context, kind, checked, source, todo } = job
  if (isDry) return dryRun(job)
  checkPlace(context.world, job.flags.failed, ours(job.ledger))
  if (checked.bad > 0 && !job.flags.skipInvalid) await leaveOut(job)
  if (todo === 0) return nothingLeft(job, checked.bad > 0 ? await keepBad(job, job.flags.resend ? undefined : job.ledger) : undefined)
  const question = await asks(job)
  if (context.interactive) await showPreview(context, source.name, checked, kind)
  else await context.notes.note(mappingSentence(checked.columns))
  if (question) await consent(context, question)
  if (context.world.signal.aborted) return interruptedAs(context.world.signal)
  return ended(job, await perform(job))
}

/** A dry run looks at it where it can: without a key there is no account to look for. */
async function progressOf(context: Context, kind: Kind, folder: string, { within }: RowFlags, isDry: boolean): Promise<Progress | undefined> {
  const opening = openProgress(context, kind, folder, within)
  return isDry ? opening.catch(() => undefined) : opening
}

const timeOf = ({ world }: Context): string => new Date(world.now()).toISOString()

function checkAll(context: Context, given: { source: RowSource; written: Written; mapping: Mapping; kind: Kind }): Promise<Checked> {
  return context.progress.during(`Checking ${given.source.name}`, (tell) =>
    checkRows({
      ...given,
      signal: context.world.signal,
      tell: (part, rows) => tell(`Checking ${given.source.name}: ${counted(rows)} rows, ${Math.floor(part * 100)} %`),
    }),
  )
}

/** The same content for the same target, as the same account: whoever runs it again goes on where it stood. */
async function ledgerName(context: Context, { endpoint, target }: Kind, hash: string): Promise<string> {
  const { profileName, baseUrl } = await context.settings()
  // Without a key there is no request either, and it is the platform's to say so.
  const key = context.globals.dryRun ? await keyOrNone(context) : await (await context.connected()).key()
  const parts = [hash, endpoint.name, target, profileName.value, baseUrl.value, key === undefined ? '' : keyMark(key)]
  return createHash('sha256').update(JSON.stringify(parts)).digest('hex').slice(0, 32)
}

const keyOrNone = async (context: Context): Promise<string | undefined> =>
  context
    .connected()
    .then((it) => it.key())
    .catch(() => undefined)

function todoOf(context: Context, checked: Checked, ledger: Ledger, plan: Plan): number {
  let open = 0
  for (let row = 0; row < checked.rows; row++)
    if (!checked.isBad(row) && !plan.isReached(row) && !plan.isHeld(row) && !['done', 'already'].includes(ledger.stateOf(row))) open += 1
  return Math.min(open, count(context.globals.limit, '--limit') ?? open)
}

/** Bad rows are left out only where somebody says so. @throws ClientFailure with each of them, up to some */
async function leaveOut(job: Job): Promise<void> {
  const { context, checked, source, flags } = job
  const { bad, rows, problems } = checked
  const few = `${counted(bad)} of ${counted(rows)} rows of ${source.name} cannot be sent as ${bad === 1 ? 'it is' : 'they are'}`
  const details = problems.map(({ line, field, message }) => ({ path: `line ${line}${field === '' ? '' : `, ${field}`}`, message }))
  const isCut = problems.length === mostTold
  if (context.interactive && bad < rows && !context.globals.yes) {
    const prompts = await context.prompts()
    for (const { path, message } of details) await context.notes.warn(`${path}: ${message}`)
    if (isCut) await context.notes.warn('Only the first are told.')
    if (await prompts.confirm(`${few}. Leave ${bad === 1 ? 'it' : 'them'} out and keep ${bad === 1 ? 'it' : 'them'} in a file to be put right?`)) return
  }
  if (flags.failed !== undefined) {
    // To begin a ledger anew is to forget what is done: not where nothing is sent.
    const file = await keepBad(job, flags.resend ? undefined : job.ledger)
    if (file !== undefined) await context.notes.note(`They are in ${file}, each with what is wrong.`)
  }
  throw new ClientFailure({
    exit: 'usage',
    code: 'invalid_rows',
    message: `${few}. Nothing was sent.`,
    details,
    hint: `${isCut ? 'Only the first are told. ' : ''}Put them right${bad < rows ? ', or add --skip-invalid to send the others and keep these in a file' : ''}.`,
  })
}

/** Writes the bad rows to a file of their own, in the place of the one an earlier run wrote. */
async function keepBad({ context, checked, source, written, mapping, kind, flags, plan }: Job, ledger: Ledger | undefined): Promise<string | undefined> {
  if (ledger) await dropKept(context, ledger)
  const failed = failedRows(context.world, source, written, flags.failed, ledger)
  for await (const rows of readRows(source, written))
    for (const row of rows) if (checked.isBad(row.at)) failed.add(row, saying(await problemsOf(row, mapping, kind, checked.numbers)), plan.keyOf(row))
  return failed.close()
}
