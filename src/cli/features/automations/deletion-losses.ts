import type { Automation } from '../../../contract/automations/automation-records.ts'
import { automate } from '../../../contract/resources/automate.ts'
import type { Context } from '../../program/context.ts'
import { describeTime } from '../../program/output/time.ts'
import { findLiveVersion, listVersions, maxListedVersions } from './restore/restore-targets.ts'
import { webhookUrl } from './webhook-path.ts'

const count = (n: number, noun: string): string => `${n} ${noun}${n === 1 ? '' : 's'}`

/** Describes what is lost with an automation: its URL, versions and runs, and when it last ran. */
export async function describeLosses(context: Context, id: string): Promise<string> {
  const [address, history, last] = await Promise.all([
    unlessFailed(context, async () => describeAddress(context, (await context.call(automate.get, { id })).data)),
    unlessFailed(context, () => describeHistory(context, id)),
    unlessFailed(context, () => describeLastRun(context, id)),
  ])
  return [
    address ?? 'Its URL stops working.',
    history ?? 'Its versions and its runs are deleted.',
    last ?? 'When it last ran is unknown.',
  ]
    .filter((it) => it !== '')
    .join(' ')
}

/** Returns the result, or undefined if the platform does not answer: the deletion itself reports why. */
async function unlessFailed<T>({ system }: Context, work: () => Promise<T>): Promise<T | undefined> {
  try {
    return await work()
  } catch (error) {
    if (system.signal.aborted) throw error
    return undefined
  }
}

async function describeAddress(context: Context, automation: Automation): Promise<string> {
  const url = await webhookUrl(context, automation)
  return url === undefined ? '' : `Its URL ${url} stops working.`
}

async function describeHistory(context: Context, id: string): Promise<string> {
  if (!(await context.supports('versions'))) return 'Its versions and its runs are deleted.'
  const versions = await listVersions(context, id)
  const runs = versions.reduce((sum, it) => sum + (it.runs ?? 0), 0)
  const more = versions.length === maxListedVersions ? 'at least ' : ''
  return findLiveVersion(versions)?.runs === undefined
    ? `Its ${more}${count(versions.length, 'version')} and its runs are deleted.`
    : `Its ${more}${count(versions.length, 'version')} and ${more}${count(runs, 'live run')} are deleted.`
}

async function describeLastRun(context: Context, id: string): Promise<string> {
  const [run] = (await context.supports('runs'))
    ? (await context.call(automate.listRuns, { automation_id: id, test: false, limit: 1 })).data
    : await newestRuns(context, id)
  return run ? `It last ran at ${describeTime(run.start_time)}.` : 'It has never run.'
}

async function newestRuns(context: Context, id: string): Promise<readonly { readonly start_time: string }[]> {
  const answer = await context.call(automate.runs, { id, limit: 1 })
  return 'runs' in answer ? answer.runs : []
}
