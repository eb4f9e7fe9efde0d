// Commands of `ops` that settle operations with an unknown outcome. They buy nothing and send no message again: `reconcile` asks the
// platform, and finishes interrupted changes of automations. `close` only changes the journal of this machine, where `refused` means
// that the same operation may be sent again.

import { ClientFailure, isAboutKey } from '../../../client/failures/client-failure.ts'
import { isInProgress, isOnPlatform, type Journal, type JournalEntry } from '../../../client/journal/open-operations.ts'
import { keyPrefix } from '../../../client/requests/authenticator.ts'
import type { ExitName } from '../../../contract/errors/exit-codes.ts'
import { waitingOf } from '../../../contract/values/waiting-answer.ts'
import { type ProcessIdentity, processName } from '../../../node/process-identity.ts'
import { command, type Invocation } from '../../program/commandline/command.ts'
import { isSameAccount } from '../../program/connection/account-cache.ts'
import { guardWrite } from '../../program/consent/require-confirmation.ts'
import type { Context } from '../../program/context.ts'
import { usageError } from '../../program/errors/usage-error.ts'
import { type BillableOperation, findBillableOperation } from '../../program/operations/billable-operations.ts'
import {
  entryArgument,
  isUnresolved,
  resolveEntry,
  toShownEntry,
  view,
} from '../../program/operations/operation-view.ts'
import {
  isInFlight,
  isKeyRetained,
  outcomeFailure,
  type ResolvedOutcome,
  unknownForNow,
} from '../../program/operations/resolved-outcome.ts'
import { chargeDetail } from '../../program/operations/run-with-key.ts'
import { recordFlag } from '../../program/prompts/equivalent-command.ts'
import { isAutomationOperation } from '../automations/operation-journal.ts'
import { findPending, pendingView } from './pending-view.ts'

/**
 * Asks a platform with idempotency for its response to the key of an entry, or lets it finish a started operation.
 * Starts no new operation.
 */
async function queryByKey(
  context: Context,
  entry: JournalEntry,
  { endpoint, noun, summarize, findOutcome, findCost }: BillableOperation,
): Promise<ResolvedOutcome> {
  try {
    const answer = await context.call(endpoint, entry.input, {
      idempotencyKey: entry.idempotencyKey,
      isOutcomeQuery: true,
    })
    const charge = chargeDetail(await context.journal(), entry, answer)
    // What it cost is only recorded, so that a failed read does not change the outcome.
    const costUsd = charge.costUsd ?? (await findCost?.(context, entry).catch(() => undefined))
    const waits = waitingOf(answer) !== undefined
    return {
      state: 'done',
      detail: {
        reconciled: waits ? `The ${noun} waits for the contact hours.` : `The ${noun} was carried out.`,
        ...(!waits && summarize(answer as never)),
        ...charge,
        ...(costUsd !== undefined && { costUsd }),
      },
    }
  } catch (caught) {
    const error = outcomeFailure(caught)
    // The platform may have deleted the key, so only results that it shows are evidence.
    if (error.code === 'idempotency_unknown' && !isKeyRetained(context, entry)) return findOutcome(context, entry)
    if (error.code === 'idempotency_unknown' && !isInFlight(context, entry))
      return { state: 'refused', detail: { reconciled: `The platform has no such ${noun}.` } }
    if (error.exit === 'unknown' || isAboutKey(error)) return unknownForNow(context, entry)
    return {
      state: 'refused',
      detail: { reconciled: `The platform refused the ${noun}.`, code: error.code, message: error.message },
    }
  }
}

const outcomes = ['done', 'refused'] as const
type Outcome = (typeof outcomes)[number]

export const close = command({
  risk: 'write',
  needsPerson: true,
  exits: ['not_found', 'conflict'],
  summary: 'Record the outcome of an unresolved operation',
  argument: entryArgument,
  flags: [
    {
      flags: '--as <outcome>',
      describe: 'Outcome: done (it was carried out) or refused (it was not)',
      choices: outcomes,
    },
    { flags: '--reason <text>', describe: 'How you know; saved with the entry' },
  ],
  examples: [
    '0c9a4f12 --as refused --reason "Not on the invoice of November"',
    '0c9a4f12 --as done --reason "The customer has the message"',
  ],
  notes:
    'Changes only the journal of this machine. Run "parley ops reconcile" first, which asks the platform. A closed entry no longer blocks the same operation. Rows of a file that are closed as refused are sent by the next run.',
  view,
  async run(context, { argument, flags }) {
    const entry = await resolveEntry(context, argument, isUnresolved)
    if (!isUnresolved(entry))
      throw new ClientFailure({
        exit: 'conflict',
        code: 'already_settled',
        message: `Entry ${entry.id.slice(0, 8)} is already ${entry.state}. Nothing was changed.`,
        hint: `Show it: parley ops get ${entry.id.slice(0, 8)}.`,
      })
    const { as, reason } = await promptOutcome(context, flags)
    const journal = await context.journal()
    // `ops get` prints the detail as JSON, so that the reason is found again.
    journal.recordOutcome(entry.id, as, { closed: reason })
    const after = journal.list().find((it) => it.id === entry.id)
    const sentence = `Closed entry ${entry.id.slice(0, 8)} (${entry.endpoint}) as ${as}.`
    await context.out.result(after ? toShownEntry(after) : entry, () => context.out.line(sentence), { view })
  },
})

/**
 * Returns outcome and reason, or prompts for them. @throws ClientFailure `usage` with the missing flags, without a
 * terminal
 */
async function promptOutcome(
  context: Context,
  flags: Invocation['flags'],
): Promise<{ readonly as: Outcome; readonly reason: string }> {
  const missing = [...(flags.as === undefined ? ['--as'] : []), ...(flags.reason === undefined ? ['--reason'] : [])]
  if (missing.length > 0 && !context.interactive)
    throw usageError(
      `Missing ${missing.join(' and ')}.`,
      'Pass --as done or --as refused, and say how you know with --reason.',
    )
  const as = flags.as === undefined ? await promptResult(context) : (String(flags.as) as Outcome)
  const reason = flags.reason === undefined ? await promptReason(context) : String(flags.reason)
  if (reason.trim() === '') throw usageError('--reason is empty.', 'Say how you know what happened.')
  return { as, reason }
}

async function promptResult(context: Context): Promise<Outcome> {
  const prompts = await context.prompts()
  const texts = { done: 'done: it was carried out', refused: 'refused: it was not carried out' }
  const as = await prompts.select(
    'What happened?',
    outcomes.map((value) => ({ name: texts[value], value })),
  )
  recordFlag(context, '--as', as)
  return as
}

async function promptReason(context: Context): Promise<string> {
  const prompts = await context.prompts()
  const reason = await prompts.input('How do you know?', {
    validate: (it) => it.trim() !== '' || 'Enter a reason.',
  })
  recordFlag(context, '--reason', reason)
  return reason
}

export const reconcile = command({
  callsPlatform: true,
  exits: ['unknown', 'finding', 'consent'],
  flags: [{ flags: '--confirm <name>', describe: 'Name of the protected profile, to confirm changes of automations' }],
  summary: 'Resolve operations with an unknown outcome',
  examples: ['', '--profile production'],
  notes:
    'Buys and sends nothing. If the platform advertises idempotency, the command asks it for the response to the key of each entry. On other platforms it reads the results of an operation: the list of numbers, the status of a campaign, the conversation, the list of calls. It stops trying two minutes after a message and one hour after a purchase or a call. After that, check the outcome yourself and record it with "parley ops close".\nInterrupted updates and restores of automations are finished: the live version is compared with the previous one, a definition whose test failed is rolled back, and an automation that was enabled is enabled again. To reconcile the entries of another profile, pass --profile. The exit code is 12 while an outcome is unknown, and 20 when an automation was changed by someone else.',
  view,
  async run(context, { flags }): Promise<ExitName | undefined> {
    const journal = await context.journal()
    const { baseUrl, profileName } = await context.settings()
    const open = journal.list({ open: true })
    const connected = await context.connection()
    const key = await connected.key()
    const mark = key === undefined ? undefined : keyPrefix(key)
    // Older entries do not record the key that was used.
    const isMine = (entry: JournalEntry): boolean =>
      entry.profile === profileName.value &&
      isOnPlatform(entry, connected.platform) &&
      (entry.keyMark === undefined ||
        (mark !== undefined && isSameAccount(context.system, baseUrl.value, entry.keyMark, mark)))
    const mine = open.filter(isMine)
    const spends = mine.filter((it) => findBillableOperation(it))
    // On the local platform, operations of an ended process are finished first, so that the responses are final.
    if (spends.length > 0) await connected.runDueJobs()
    const { final, failures } = await reconcileEntries(context, journal, spends)
    const automations = mine.filter(isAutomationOperation)
    const isResolved =
      automations.length === 0 ||
      (await finishAutomations(context, journal, automations, flags.confirm as string | undefined))
    const before = new Set(open.map((it) => it.id))
    const after: readonly JournalEntry[] = journal.list().filter((it) => before.has(it.id))
    await context.out.list(after.map(toShownEntry), { view: { ...view, empty: 'Nothing to reconcile.' } })
    const unknown = after.filter((it) => it.state === 'open' || it.state === 'unknown')
    for (const failure of failures) await context.notes.warn(failure)
    if (unknown.length === 0) return isResolved ? undefined : 'finding'
    const elsewhere = [...new Set(unknown.filter((it) => it.profile !== profileName.value).map(flagOf))]
    if (elsewhere.length > 0)
      await context.notes.note(
        `Skipped entries of other profiles and addresses. Run this command with ${elsewhere.join(', or with ')}.`,
      )
    if (unknown.some((it) => it.profile === profileName.value && !isMine(it)))
      await context.notes.note(
        'Skipped entries of this profile with another API key or address, which may belong to another account.',
      )
    if (unknown.some((it) => isMine(it) && !final.has(it.id)))
      await context.notes.note(
        'Still unknown: the operation may be in progress. Run this command again in two minutes.',
      )
    for (const entry of unknown.filter(({ id }) => final.has(id)))
      await context.notes.note(
        `The platform does not report the outcome of entry ${entry.id.slice(0, 8)}, and running this command again will not help. Check it yourself, then: parley ops close ${entry.id.slice(0, 8)} --as done|refused --reason <text>`,
      )
    return 'unknown'
  },
})

/** Finishes updates and restores of automations, after one confirmation for all of them. */
async function finishAutomations(
  context: Context,
  journal: Journal,
  entries: readonly JournalEntry[],
  confirmed: string | undefined,
): Promise<boolean> {
  const { reconcileAutomations } = await import('../automations/reconcile-automations.ts')
  let guarded: Promise<void> | undefined
  return reconcileAutomations(context, journal, entries, () => {
    guarded ??= guardWrite(context, confirmed)
    return guarded
  })
}

/**
 * Resolves each entry separately, because a request may fail for one of them only. `final`: entries that another run
 * cannot resolve.
 */
export async function reconcileEntries(
  context: Context,
  journal: Journal,
  entries: readonly JournalEntry[],
): Promise<{ readonly final: ReadonlySet<string>; readonly failures: readonly string[] }> {
  const final = new Set<string>()
  const failures: string[] = []
  const isKeyed = entries.length > 0 && (await context.supports('idempotency'))
  for (const entry of entries) {
    const spend = findBillableOperation(entry)
    if (!spend) continue
    if (isInProgress(entry, context.system)) {
      await context.notes.note(
        `Entry ${entry.id.slice(0, 8)} (${entry.endpoint}) is in progress: ${processName(entry.sender as ProcessIdentity)} is waiting for the response.`,
      )
      continue
    }
    try {
      const verdict = isKeyed ? await queryByKey(context, entry, spend) : await spend.findOutcome(context, entry)
      if (verdict.state !== 'unknown' || entry.state === 'open' || verdict.detail)
        journal.recordOutcome(entry.id, verdict.state, verdict.detail)
      if (verdict.state !== 'unknown') continue
      if (verdict.isFinal) final.add(entry.id)
      if (verdict.note !== undefined) await context.notes.note(verdict.note)
    } catch (error) {
      // A missing sign-in or Ctrl-C applies to every further entry too.
      if (!(error instanceof ClientFailure) || error.exit === 'auth' || error.exit === 'interrupted') throw error
      failures.push(`Entry ${entry.id.slice(0, 8)} (${entry.endpoint}) could not be checked: ${error.message}`)
    }
  }
  return { final, failures }
}

/** Returns the flag that selects the profile of an entry; its address if it has no profile. */
const flagOf = ({ profile }: JournalEntry): string =>
  /^https?:/.test(profile) ? `--base-url ${profile}` : `--profile ${profile}`

export const get = command({
  callsPlatform: true,
  exits: ['not_found'],
  summary: 'Show an operation: request, key and outcome',
  argument: entryArgument,
  examples: ['0c9a4f12', '0c9a4f12 --json'],
  view,
  otherView: pendingView,
  async run(context, { argument }) {
    const pending = argument === undefined ? undefined : await findPending(context, argument)
    if (pending) return context.out.record(pending, { view: pendingView })
    const entry = await resolveEntry(context, argument)
    await context.out.record(entry, { view })
    if (isUnresolved(entry)) await context.notes.note('Resolve it: parley ops reconcile')
  },
})
