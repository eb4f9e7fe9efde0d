// Commands of `ops` for operations that wait for the approval of a person. Approving sends nothing; `ops run` sends what was approved, and
// after an interruption finds what was carried out by the keys of its requests, so that nothing is paid twice.

import {
  notPossible,
  type PendingOperation,
  type PendingOperations,
} from '../../../client/approvals/pending-operations.ts'
import { ClientFailure } from '../../../client/failures/client-failure.ts'
import { commandLine } from '../../../client/requests/shell-quote.ts'
import type { ExitName } from '../../../contract/errors/exit-codes.ts'
import type { RunEnd } from '../../../contract/resources/approvals.ts'
import { type ApprovedRun, requestKey } from '../../program/approvals/approvals.ts'
import { command } from '../../program/commandline/command.ts'
import { findCommand } from '../../program/commandline/find-command.ts'
import { askConfirmation } from '../../program/consent/require-confirmation.ts'
import type { Context } from '../../program/context.ts'
import { createContext } from '../../program/create-context.ts'
import { interruptedExit } from '../../program/errors/interrupted-exit.ts'
import { consentError } from '../../program/errors/usage-error.ts'
import { chargeDetail } from '../../program/operations/run-with-key.ts'
import { runCommand } from '../../program/run.ts'
import { type System, withParts } from '../../program/system.ts'
import type { Streams } from '../../program/terminal/streams.ts'
import { reconcileEntries } from './operations.ts'
import { pendingArgument, pendingView, planText, resolvePending, toShownPending } from './pending-view.ts'

export const approve = command({
  callsPlatform: true,
  risk: 'write',
  exits: ['not_found', 'conflict', 'consent'],
  needsPerson: true,
  summary: 'Approve an operation that waits for a person',
  argument: pendingArgument,
  examples: ['0c9a4f12'],
  notes:
    'Only on a terminal, and never for a coding agent. Shows the platform, the maximum cost and every request byte for byte, then asks. It does not run the operation: run it with "parley ops run", as the agent that asked does. More: parley help approvals.',
  view: pendingView,
  async run(context, { argument }) {
    const { operation, pending } = await resolvePending(context, argument, (it) => it.state === 'pending')
    if (operation.state !== 'pending') throw notPossible(operation, 'approved', pending.place)
    if (!context.interactive)
      throw consentError(
        'Approving requires a person at a terminal.',
        `Run it in a terminal: parley ops approve ${operation.id.slice(0, 8)}`,
      )
    await context.notes.warn(planText(operation))
    const { plan } = operation
    const settings = { profileName: { value: plan.profile, from: '' }, baseUrl: { value: plan.platform, from: '' } }
    if (!(await askConfirmation(context, 'Approve this?', { settings })))
      throw consentError(
        'Cancelled.',
        `Nothing was decided. To decline it: parley ops decline ${operation.id.slice(0, 8)}`,
      )
    await decide(context, { operation, pending }, true, null)
    await context.notes.note(`It can be run now: parley ops run ${operation.id.slice(0, 8)}`)
  },
})

export const decline = command({
  callsPlatform: true,
  risk: 'write',
  exits: ['not_found', 'conflict'],
  summary: 'Decline an operation that waits for a person',
  argument: pendingArgument,
  flags: [{ flags: '--reason <text>', describe: 'Why, for the agent that asked' }],
  examples: ['0c9a4f12 --reason "Too expensive"'],
  view: pendingView,
  async run(context, { argument, flags }) {
    const found = await resolvePending(context, argument, (it) => it.state === 'pending')
    await decide(context, found, false, typeof flags.reason === 'string' ? flags.reason : null)
  },
})

async function decide(
  context: Context,
  { operation, pending }: { readonly operation: PendingOperation; readonly pending: PendingOperations },
  isApproved: boolean,
  reason: string | null,
): Promise<void> {
  const { id } = operation
  const key = pending.place === 'server' ? await askForKey(context, id) : undefined
  await pending.decide(operation, { isApproved, reason, key })
  const sentence = `${isApproved ? 'Approved' : 'Declined'} operation ${id.slice(0, 8)}.`
  await context.out.result(toShownPending(await pending.read(id)), () => context.out.line(sentence), {
    view: pendingView,
  })
}

/** Asks for the key that decides on a server. It is not stored, so that no program of this machine can decide. */
async function askForKey(context: Context, id: string): Promise<string> {
  if (!context.interactive)
    throw consentError(
      'Deciding on this server requires a person at a terminal, who enters a key with the scope approve.',
      `Run it in a terminal: parley ops decline ${id.slice(0, 8)}`,
    )
  const prompts = await context.prompts()
  return (await prompts.password('API key with the scope approve (not stored)')).trim()
}

/** Milliseconds between two reads of a decision. */
const pollMs = 1000

export const wait = command({
  callsPlatform: true,
  exits: ['not_found', 'conflict'],
  summary: 'Wait until a person has decided about an operation',
  argument: pendingArgument,
  examples: ['0c9a4f12'],
  notes:
    'Ends with exit code 0 when the operation is approved or done, and 5 when it was declined or has expired. An operation expires one hour after it was asked for.',
  view: pendingView,
  async run(context, { argument }): Promise<ExitName | undefined> {
    const { system } = context
    const { operation: found, pending } = await resolvePending(context, argument, (it) => it.state === 'pending')
    const { id } = found
    for (;;) {
      const operation = await pending.read(id)
      if (operation.state !== 'pending') {
        const shown = toShownPending(operation)
        await context.out.record(shown, { view: pendingView })
        const isAllowed = ['approved', 'running', 'interrupted', 'done'].includes(operation.state)
        if (isAllowed && operation.state !== 'done')
          await context.notes.note(`Run it: parley ops run ${id.slice(0, 8)}`)
        return isAllowed ? undefined : 'conflict'
      }
      await system.sleep(pollMs, system.signal).catch(() => undefined)
      if (system.signal.aborted) return interruptedExit(system.signal)
    }
  },
})

export const run = command({
  // What it does was agreed to already.
  risk: 'outside',
  callsPlatform: true,
  exits: ['not_found', 'conflict', 'consent', 'partial', 'unknown', 'finding', 'timed_out', 'payment'],
  summary: 'Run an approved operation, once',
  argument: pendingArgument,
  examples: ['0c9a4f12'],
  notes:
    'Runs the command that asked, in its folder, and sends only what was approved: the same bytes to the same platform and account, at most at the approved price, which is read again. Otherwise the exit code is 5 and nothing is sent. After an interruption (exit code 11 or 12) run it again: what was carried out is not repeated. Output and exit code are those of the command.',
  async run(context, { argument }): Promise<ExitName | undefined> {
    const found = await resolvePending(context, argument, (it) => it.state === 'approved' || it.state === 'interrupted')
    const { pending } = found
    const operation = await pending.start(found.operation.id)
    const approved: ApprovedRun = { operation, pending, isChanged: false, used: {} }
    // A request of the interrupted run may have been carried out: it is settled first, so that nothing is paid twice.
    if (operation.state === 'interrupted') await reconcileKeys(context, operation)
    if (await isCarriedOut(context, operation)) {
      await pending.end(operation.id, 'done')
      await context.notes.note(
        `Operation ${operation.id.slice(0, 8)} was carried out by the run that was interrupted. Nothing was sent again.`,
      )
      return 'done'
    }
    let end: RunEnd = 'resumable'
    try {
      const exit = await runApproved(context, approved)
      // An entry of an earlier run that is still open is answered too.
      if (allAnswered.has(exit)) await settleKeys(context, operation)
      const after = await pending.read(operation.id).catch(() => undefined)
      // Without the outcomes of its requests, a run that failed may have sent something.
      if (after || allAnswered.has(exit)) end = endOf(exit, approved, after ?? operation)
      return exit
    } finally {
      // What the command did is known, also if its end cannot be recorded: the next run finds it by the keys of its requests.
      await pending
        .end(operation.id, end)
        .catch((error: Error) => context.notes.warn(`The end of the operation was not recorded: ${error.message}`))
    }
  },
})

/** Exits after which every request was answered. A wait that timed out begins after that. */
const allAnswered: ReadonlySet<ExitName> = new Set<ExitName>(['done', 'finding', 'timed_out'])

/** Runs the command of a plan as it was asked for: its words, folder, input and profile. */
async function runApproved(context: Context, approved: ApprovedRun): Promise<ExitName> {
  const { plan, outcomes } = approved.operation
  const found = findCommand(plan.command)
  const { node } = found
  if (!node?.load)
    throw new ClientFailure({
      exit: 'conflict',
      code: 'approval_changed',
      message: `This version of Parley has no command "${commandLine(plan.command)}". Nothing was sent.`,
    })
  const text = plan.stdin ?? ''
  const stdin = {
    isTTY: false,
    async *read() {
      if (text !== '') yield text
    },
    text: async () => text,
  }
  // Only a single deletion that was sent before: a resource that is missing for another reason is an error.
  const mayBeDeleted =
    plan.requests.length === 1 && plan.requests[0]?.method === 'DELETE' && Object.keys(outcomes).length > 0
  // An error about a resource that the interrupted run has deleted is not shown.
  const held: string[] = []
  const { stderr } = context.system.streams
  const streams: Streams = {
    ...context.system.streams,
    stdin,
    ...(mayBeDeleted && {
      stderr: { isTTY: false, columns: 0, rows: 0, write: async (it: string) => void held.push(it) },
    }),
  }
  const system = withParts(systemOf(context, approved.operation), { streams })
  const exit = await runCommand(system, found, { ...node, load: node.load }, approved)
  // The interrupted run has deleted it, so that it cannot be found any more.
  if (mayBeDeleted && exit === 'not_found') {
    await context.notes.note('It was deleted by the run that was interrupted.')
    return 'done'
  }
  for (const text of held) await stderr.write(text)
  return exit
}

/** Returns whether every request of a plan has a known outcome, and was carried out, by an earlier run. */
async function isCarriedOut(context: Context, { id, plan, outcomes }: ApprovedRun['operation']): Promise<boolean> {
  if (plan.requests.length === 0) return false
  const journal = await context.journal()
  return plan.requests.every(
    (_, n) =>
      outcomes[n] === 'done' || journal.list({ keys: new Set([requestKey(id, n)]) }).some((it) => it.state === 'done'),
  )
}

/** Finds the outcome of the requests of an interrupted run, on the platform of its plan. */
async function reconcileKeys(context: Context, operation: ApprovedRun['operation']): Promise<void> {
  const { command, commandName, globals } = context
  const own = await createContext({ system: systemOf(context, operation), globals, command, commandName })
  try {
    const journal = await own.journal()
    const open = journal.list({ open: true, keys: keysOf(operation) })
    if (open.length === 0) return
    await (await own.connection()).runDueJobs()
    const { failures } = await reconcileEntries(own, journal, open)
    for (const failure of failures) await context.notes.warn(failure)
  } finally {
    await own.close()
  }
}

/** Returns the system with the folder and the profile of a plan. */
function systemOf({ system }: Context, { plan }: ApprovedRun['operation']): System {
  // A platform without a profile is named by the words of the command.
  const isName = !plan.profile.includes(':')
  return withParts(system, {
    cwd: plan.folder,
    env: { ...system.env, ...(isName && { PARLEY_PROFILE: plan.profile }) },
  })
}

/** Returns the idempotency keys of all requests of a plan. */
const keysOf = ({ id, plan }: ApprovedRun['operation']): ReadonlySet<string> =>
  new Set(plan.requests.map((_, n) => requestKey(id, n)))

/** Closes the entries of an interrupted run, whose requests were answered again under the same key. */
async function settleKeys(context: Context, operation: ApprovedRun['operation']): Promise<void> {
  const journal = await context.journal()
  for (const entry of journal.list({ open: true, keys: keysOf(operation) }))
    journal.recordOutcome(entry.id, 'done', {
      reconciled: 'The platform responded to the same key.',
      ...chargeDetail(journal, entry, undefined),
    })
}

/** Returns how a run ended, from its exit code and the outcomes of its requests. What was not sent can be run again. */
function endOf(
  exit: ExitName,
  { isChanged, used, hasComparedSteps }: ApprovedRun,
  { outcomes }: ApprovedRun['operation'],
): RunEnd {
  if (isChanged) return 'changed'
  if (allAnswered.has(exit)) return 'done'
  // Some of the steps need no approval, and have no outcome here.
  if (hasComparedSteps) return 'resumable'
  // Without any request, or with only refused and cancelled ones, nothing can have been spent: it may be run again.
  const isNothingSent =
    Object.keys(used).length === 0 || Object.values(outcomes).every((it) => it === 'refused' || it === 'cancelled')
  return isNothingSent ? 'not_sent' : 'resumable'
}
