import { ClientFailure } from '../../../client/failures/client-failure.ts'
import { isRefusedWrite } from '../../../client/failures/uncertain-writes.ts'
import { automate } from '../../../contract/resources/automate.ts'
import { calls } from '../../../contract/resources/calls.ts'
import { campaigns } from '../../../contract/resources/campaigns.ts'
import { type Activity, user } from '../../../contract/resources/user.ts'
import { command } from '../../program/commandline/command.ts'
import { previewRequest } from '../../program/connection/send-request.ts'
import { requireConfirmation } from '../../program/consent/require-confirmation.ts'
import type { Context } from '../../program/context.ts'
import { requireNoPrintCurl } from '../../program/errors/require-no-print-curl.ts'
import { usageError } from '../../program/errors/usage-error.ts'
import { startGroup } from '../../program/history/groups.ts'
import { describeStopTime } from '../../program/operations/stopped-account.ts'
import { stopHere } from '../../program/operations/stopped-here.ts'
import { idView, type View } from '../../program/output/format.ts'
import { countOf, namesOf } from '../../program/output/named-items.ts'
import {
  countItems,
  describeRunning,
  listCallsInProgress,
  listRunning,
  type Running,
  type RunningWork,
  readRunning,
} from './running.ts'

/** What was stopped. Scripts read it as JSON: fields are added, not renamed. */
export interface Stopped {
  /** Whether nothing starts any more, as far as the command could see. */
  readonly stopped: boolean
  /** `platform`: the platform stopped all of the account. `client`: this command stopped what it found, one by one. */
  readonly by: 'platform' | 'client'
  readonly account: string | null
  /** Since when the platform has stopped the account; null if the commands of this computer stopped it. */
  readonly stopped_at: string | null
  /** Empty if the account was stopped before. */
  readonly items: readonly Running[]
  /** As the platform counts them; null where it does not. */
  readonly runs: number | null
  /** Outbound calls in progress, which continue without --hang-up. */
  readonly calls: number | null
  /** Messages, SMS and calls that wait for the contact hours. */
  readonly waiting: number | null
  /** What began before and has not ended; null where the platform does not say it. */
  readonly finishing: number | null
  /** Calls that --hang-up has ended. */
  readonly ended_calls: readonly number[]
  /** What still runs, with the reason. */
  readonly left: readonly (Running & { readonly reason: string })[]
  /** What the platform offers no way to stop, as sentences. */
  readonly not_stopped: readonly string[]
  /** The history entry of the stop; null without a history. */
  readonly entry: number | null
}

const view: View<Stopped> = idView((it) => it.entry ?? it.by)

/** Maximum number of times that everything is read again, until nothing runs any more. */
const maxPasses = 20
/** Number of failed attempts after which something is left. */
const maxAttempts = 3

export const stop = command({
  callsPlatform: true,
  summary: 'Stop everything',
  risk: 'destructive',
  reducesHarm: true,
  supportsPreview: true,
  exits: ['partial', 'consent', 'unknown'],
  flags: [
    { flags: '--all', describe: 'Everything: campaigns, automations, bulk commands and outbound calls (required)' },
    { flags: '--hang-up', describe: 'Also end outbound calls in progress; only on a Parley server' },
  ],
  examples: ['--all', '--all --yes --json', '--all --hang-up --yes'],
  notes: `On a Parley server one request stops the account: no campaign contacts a lead, no run of an automation starts or continues with a step that has effects, and no message, SMS or call is sent or placed, from any client, until "parley resume". What would have started waits, and nothing is lost: events and webhooks still arrive, and their runs wait. Only a caller of a webhook with /sync still gets an answer from steps that compute or answer; the run waits before its first step with effects. A schedule has one run after the resume for all times that passed. The answer comes when the steps, messages and calls that began before have ended, at the latest after 5 seconds; "finishing" counts those that have not. Bulk commands end with exit code 5, or 11 after some rows, and continue where they stopped when they are run again. Assistants still answer people who write or call, and tests of automations still run.
Calls in progress continue, because ending them cannot be undone; --hang-up ends them. When the account is stopped already, the command says since when and stops nothing.
On other platforms the command stops campaigns and disables automations one by one, and repeats until a pass finds nothing. It says what it could not stop, and the commands of this computer start nothing with the profile until "parley resume". Another client may.
A stop needs no approval. The exit code is 11 when something could not be stopped, or when "finishing" is not 0: run the command again to see whether that has ended.`,
  view,
  async run(context, { flags }) {
    if (flags.all !== true) throw usageError('Missing --all.', 'To stop everything of the account: parley stop --all.')
    const { globals, notes } = context
    const offered = await context.supports('stop').catch((error: Error) => {
      if (context.system.signal.aborted) throw error
      return false
    })
    if (globals.printCurl) {
      if (!offered) requireNoPrintCurl(context)
      await previewRequest(context, user.stop, {})
      return undefined
    }
    const work = await readRunning(context, offered)
    const account = await accountName(context)
    const name = account === null ? 'this account' : `account ${account}`
    const hangsUp = flags.hangUp === true
    const before = work.activity?.stopped_at ? work.activity : undefined
    const since = before?.stopped_at ? `${describeStopTime(before.stopped_at)}.` : ''
    const calls = describeCalls(work.activity?.calls, hangsUp)
    if (globals.dryRun) {
      await notes.note(
        `${before ? `${since} Nothing more would be stopped.` : `Would stop ${describeWork(work)}.`}${calls}`,
      )
      if (before || !offered) await notes.note('Dry run. Nothing was sent.')
      else await previewRequest(context, user.stop, {})
      return undefined
    }
    if (!before)
      await requireConfirmation(context, {
        question: `Stop everything of ${name}: ${describeWork(work)}? Nothing starts until "parley resume".${calls}`,
        refusalMessage: `Stopping everything of ${name} requires confirmation: ${describeWork(work)}.${calls}`,
      })
    else if (hangsUp && before.calls > 0)
      await requireConfirmation(context, {
        question: `${since} End ${countOf(before.calls, 'outbound call')} in progress? This cannot be undone.`,
        refusalMessage: `Ending ${countOf(before.calls, 'outbound call')} in progress requires confirmation.`,
      })
    const done = before
      ? ofActivity(before, { items: [], entry: null })
      : offered
        ? await stopAccount(context, work)
        : await stopOneByOne(context, hangsUp)
    const endsCalls = hangsUp && before?.calls !== 0
    const { ended, isComplete } = endsCalls ? await hangUp(context) : { ended: [], isComplete: true }
    await print(context, { ...done, account, ended_calls: ended }, { since, hangsUp })
    return done.stopped && isComplete && !done.finishing ? undefined : 'partial'
  },
})

/** Says what happens to outbound calls in progress, as a sentence after another one. Their number may be unknown. */
function describeCalls(calls: number | undefined, hangsUp: boolean): string {
  if (calls === 0) return ''
  if (calls === undefined) return hangsUp ? ' Outbound calls in progress are ended.' : ' Calls in progress continue.'
  const [called, isOne] = [`${countOf(calls, 'outbound call')} in progress`, calls === 1]
  if (hangsUp) return ` ${called} ${isOne ? 'is' : 'are'} ended.`
  return ` ${called} ${isOne ? 'continues' : 'continue'}. To end ${isOne ? 'it' : 'them'}: parley stop --all --hang-up.`
}

/** Returns the name and address of the account; null if the platform does not say them. */
async function accountName(context: Context): Promise<string | null> {
  try {
    const { name, email } = await context.call(user.me, {})
    return `${name} (${email})`
  } catch (error) {
    if (context.system.signal.aborted) throw error
    return null
  }
}

/** Describes what is stopped. */
const describeWork = (work: RunningWork): string => describeRunning(work, ['all bulk commands and sends'])

type Done = Omit<Stopped, 'account' | 'ended_calls'>

/** Stops the account with one request. */
async function stopAccount(context: Context, { items }: RunningWork): Promise<Done> {
  const group = await startGroup(context, 'everything', { items: [], is_account: true })
  let activity: Activity
  try {
    activity = (await context.call(user.stop, {})).data
  } catch (error) {
    if (isRefusedWrite(error)) group.discard()
    throw error
  }
  const { stopped_at } = activity
  await group.end(stopped_at === null ? {} : { stopped_at })
  return ofActivity(activity, { items, entry: group.entry ?? null })
}

/** Returns the result of a stop by the platform. */
const ofActivity = (
  { stopped_at, runs, calls, waiting, finishing }: Activity,
  { items, entry }: Pick<Done, 'items' | 'entry'>,
): Done => ({
  stopped: stopped_at !== null,
  by: 'platform',
  stopped_at,
  items,
  runs,
  calls,
  waiting,
  finishing,
  left: [],
  not_stopped: [],
  entry,
})

/** Stops what runs, one by one, until a pass finds nothing more. */
async function stopOneByOne(context: Context, hangsUp: boolean): Promise<Done> {
  // First, so that nothing of this computer starts in between.
  let unsaved: string | undefined
  try {
    await stopHere(context)
  } catch (error) {
    // A full disk must not prevent the stop.
    unsaved = `The commands of this computer still start, because that could not be saved: ${(error as Error).message}.`
  }
  const group = await startGroup(context, 'everything')
  const stopped: Running[] = []
  const failures = new Map<string, { item: Running; attempts: number; reason: string }>()
  const keyOf = ({ noun, id }: Running): string => `${noun}/${id}`
  const unreadable = new Map<Running['noun'], string>()
  try {
    for (let pass = 0; pass < maxPasses; pass++) {
      const found: Running[] = []
      for (const noun of ['campaigns', 'automate'] as const)
        try {
          found.push(...(await listRunning(context, noun)))
          unreadable.delete(noun)
        } catch (error) {
          if (context.system.signal.aborted || !(error instanceof ClientFailure)) throw error
          unreadable.set(noun, error.message)
        }
      // What was not answered and does not run any more was stopped.
      const runs = new Set(found.map(keyOf))
      for (const [key, { item }] of failures)
        if (!runs.has(key) && !unreadable.has(item.noun)) {
          failures.delete(key)
          stopped.push(item)
        }
      const open = found.filter((it) => (failures.get(keyOf(it))?.attempts ?? 0) < maxAttempts)
      if (open.length === 0) break
      for (const item of open)
        try {
          if (item.noun === 'campaigns') await group.change({ ...item, done: 'stopped' }, () => stopItem(context, item))
          else await stopItem(context, item)
          failures.delete(keyOf(item))
          stopped.push(item)
        } catch (error) {
          if (context.system.signal.aborted || !(error instanceof ClientFailure)) throw error
          const attempts = (failures.get(keyOf(item))?.attempts ?? 0) + 1
          failures.set(keyOf(item), { item, attempts, reason: error.message })
        }
    }
    for (const { item } of failures.values()) group.drop(item)
  } finally {
    await group.end()
  }
  const left = [...failures.values()].map(({ item, reason }) => ({ ...item, reason }))
  const not_stopped = [
    ...(unsaved === undefined ? [] : [unsaved]),
    ...[...unreadable].map(([noun, reason]) => `What of ${noun} runs could not be read: ${reason}`),
    'Runs of automations that have started continue: the platform offers no way to cancel them.',
    ...(hangsUp ? [] : ['Calls in progress continue.']),
    'Other clients of this account can still send and call.',
  ]
  return {
    stopped: left.length === 0 && unreadable.size === 0 && unsaved === undefined,
    by: 'client',
    stopped_at: null,
    items: stopped,
    runs: null,
    calls: null,
    waiting: null,
    finishing: null,
    left,
    not_stopped,
    entry: group.entry ?? null,
  }
}

const stopItem = async (context: Context, { noun, id }: Running): Promise<unknown> =>
  noun === 'campaigns'
    ? context.call({ ...campaigns.updateStatus, risk: 'destructive' } as const, {
        campaign_id: Number(id),
        action: 'stop',
      })
    : context.call(automate.update, { id: String(id), enabled: false })

/** Ends the outbound calls in progress. Warns about those that continue. */
async function hangUp(context: Context): Promise<{ ended: number[]; isComplete: boolean }> {
  const ended: number[] = []
  let isComplete = true
  const warn = async (text: string): Promise<void> => {
    isComplete = false
    await context.notes.warn(text)
  }
  const warnOfFailure = (what: string) => (error: unknown) => {
    if (context.system.signal.aborted || !(error instanceof ClientFailure)) throw error
    return warn(`${what}: ${error.message}`)
  }
  if (!(await context.supports('call-stop'))) {
    await warn('The platform offers no way to end calls in progress.')
    return { ended, isComplete }
  }
  const ids = await listCallsInProgress(context).catch(warnOfFailure('Calls in progress cannot be read'))
  for (const id of ids ?? []) {
    if (typeof id !== 'number' && typeof id !== 'string') {
      await warn('A call in progress has no id in the response.')
      continue
    }
    try {
      await context.call(calls.stop, { id: Number(id) })
      ended.push(Number(id))
    } catch (error) {
      // It may have ended already.
      if (!(error instanceof ClientFailure && error.exit === 'conflict')) await warnOfFailure(`Call ${id}`)(error)
    }
  }
  return { ended, isComplete }
}

async function print(
  context: Context,
  stopped: Stopped,
  { since, hangsUp }: { readonly since: string; readonly hangsUp: boolean },
): Promise<void> {
  const { out, notes } = context
  const { by, items, left, finishing, ended_calls } = stopped
  const unfinished = finishing ?? 0
  const what = `${countItems(items)}, ${countOf(stopped.runs ?? 0, 'run')} and all sends`
  const sentence = since
    ? `${since} Nothing more was stopped.`
    : by === 'platform'
      ? `${unfinished > 0 ? 'Nothing starts any more' : 'Everything is stopped'}: ${what}.`
      : `Stopped ${items.length === 0 ? 'nothing, because nothing ran' : namesOf(items)}.`
  await out.result(stopped, sentence, { view })
  for (const { noun, id, reason } of left) await notes.warn(`Still running: ${noun} ${id}. ${reason}`)
  if (ended_calls.length > 0) await notes.note(`Ended ${countOf(ended_calls.length, 'call')}.`)
  if (unfinished > 0)
    await notes.warn(
      `${countOf(unfinished, 'step, message or call', 'steps, messages and calls')} that began before ${unfinished === 1 ? 'has' : 'have'} not ended yet. Run the command again to see whether ${unfinished === 1 ? 'it has' : 'they have'}.`,
    )
  if (!hangsUp && stopped.calls !== null && stopped.calls > 0)
    await notes.note(describeCalls(stopped.calls, false).trim())
  for (const text of stopped.not_stopped) await notes.note(text)
  await notes.note('Continue: parley resume')
}
