import { own, settingsOf } from '../../automation/definition/node.ts'
import type { Runner } from '../../automation/run/runner.ts'
import type { RunAnswer } from '../../automation/run/walker.ts'
import type { HookRequest } from '../../automation/triggers/samples.ts'
import type { AutomationNode } from '../../contract/automation-node.ts'
import { writeValue } from '../../store/automation-values.ts'
import { type AutomationRow, findCalledAutomation, findVersion, type VersionRow } from '../../store/automations.ts'
import { findWait, resumeWait } from '../../store/run-steps.ts'
import { changeRun, findRun, findRunByDedupe, moveRunDue } from '../../store/runs.ts'
import type { Deps } from '../deps.ts'
import { addField, findFile, type HookFile, storeFile } from './hook-files.ts'

export type { HookRequest }

/** Where the addresses of webhooks begin, and those by which waiting runs are called back. */
export const hooksAt = '/automate/api/v1/webhooks/'
export const callBacksAt = '/automate/api/v1/flow-runs/'

export const hookPath = (automation: string): string => `${hooksAt}${automation}`
/** The address that ends a wait. */
export const callBackPath = (wait: string): string => `${callBacksAt}${encodeURIComponent(wait)}`

/** A call as it came in. Its files are stored once it is known to be wanted. */
export interface IncomingCall extends HookRequest {
  readonly files?: readonly HookFile[]
  /** Where the platform was reached, for the addresses of files. */
  readonly origin?: string
}

/** Which of an automation's addresses was called. */
export interface HookMode {
  readonly isSync: boolean
  readonly isDraft: boolean
  /** Only keeps what came, as a sample. */
  readonly isTest: boolean
}

export type HookResult =
  | { readonly kind: 'unknown' | 'disabled' | 'unauthorized' | 'kept' | 'no_answer' | 'used' | 'ended' | 'ready' }
  | { readonly kind: 'accepted' | 'failed'; readonly run: string }
  | { readonly kind: 'answered'; readonly run: string; readonly answer: RunAnswer }

const mostPublished = 200

/** Milliseconds a caller of `/sync` waits for an answer. */
const patience = 30_000

/** Takes in calls to webhooks: a run is kept before anybody is told that the call arrived. */
export function hookService(deps: Deps) {
  const { connection, clock } = deps
  /** Versions called lately: what is published never changes. */
  const published = new Map<string, VersionRow>()
  /** Whether a version asks for the body as it was sent. */
  const mentioning = new Map<string, boolean>()

  return {
    /** `key` is the caller's Idempotency-Key: the same one makes one run. */
    async receive(id: string, mode: HookMode, incoming: IncomingCall, key?: string): Promise<HookResult> {
      const row = await connection.recall(`automation ${id}`, () => findCalledAutomation(connection.read, id))
      if (!row) return { kind: 'unknown' }
      const draft = mode.isDraft && row.draft_version !== null ? await findVersion(connection.read, row.draft_version) : undefined
      const version = draft ?? (await live(row, row.live_hash))
      if (version?.trigger_kind !== 'webhook') return { kind: 'unknown' }
      const runner = await deps.runner()
      if (!(await isAllowed(runner.programOf(version), incoming.headers))) {
        deps.log(`webhook ${id}: a call without the right credentials was turned away`)
        return { kind: 'unauthorized' }
      }
      if (!mode.isTest && row.status === 'disabled' && !mode.isDraft) return { kind: 'disabled' }
      const request = await withFiles(row.account_id, incoming, mode.isTest || mentions(version))
      if (mode.isTest) return keep(row, request)
      const run = await accept(runner, row, version, request, mode, key)
      return mode.isSync ? answerOf(runner, run) : { kind: 'accepted', run }
    },

    /** What a call to the address would find, without one: `ready` when it would start a run. */
    async look(id: string): Promise<HookResult> {
      const row = await connection.recall(`automation ${id}`, () => findCalledAutomation(connection.read, id))
      const version = row && (await live(row, row.live_hash))
      if (!row || version?.trigger_kind !== 'webhook') return { kind: 'unknown' }
      return { kind: row.status === 'disabled' ? 'disabled' : 'ready' }
    },

    /** The same for an address that ends a wait. */
    lookWait,

    file: (id: string) => findFile(connection.read, id),

    /** Ends the wait of a run that asked to be called back; what came is what its step gives. */
    async callBack(wait: string, incoming: IncomingCall, isSync: boolean): Promise<HookResult> {
      const found = await findWait(connection.read, wait)
      if (!found) return { kind: 'unknown' }
      const run = wait.slice(0, wait.indexOf('.'))
      const standing = await lookWait(wait)
      if (standing.kind !== 'ready') return standing
      const request = await withFiles(found.account_id, incoming, true)
      const isResumed = await connection.write(async (query) => {
        const row = await findRun(query, run)
        if (row?.status !== 'PAUSED' || row.testing === 1) return false
        const now = await clock.now(query)
        const { body, headers, queryParams } = request
        if (!(await resumeWait(query, wait, JSON.stringify({ body, headers, queryParams }), now))) return false
        // What it answered before is not the answer to this call.
        await changeRun(query, found.run, { answer: null })
        return moveRunDue(query, run, now)
      })
      if (!isResumed) return { kind: 'used' }
      const runner = await deps.runner()
      await runner.wake([run])
      return isSync ? answerOf(runner, run) : { kind: 'accepted', run }
    },
  }

  async function lookWait(wait: string): Promise<HookResult> {
    const found = await findWait(connection.read, wait)
    if (!found) return { kind: 'unknown' }
    if (found.resumed_at !== null) return { kind: 'used' }
    return { kind: (await findRun(connection.read, wait.slice(0, wait.indexOf('.'))))?.status === 'PAUSED' ? 'ready' : 'ended' }
  }

  /** What the trigger gives: files as their addresses, the text as it was sent only where the definition asks for it. */
  async function withFiles(account: number, { files = [], origin = '', rawBody, ...request }: IncomingCall, keepsRaw: boolean): Promise<HookRequest> {
    const raw = keepsRaw && rawBody !== undefined ? { rawBody } : {}
    if (files.length === 0) return { ...request, ...raw }
    const paths = await connection.write(async (query) => {
      const now = await clock.now(query)
      const found: string[] = []
      for (const [n, file] of files.entries()) found.push(await storeFile(query, deps, account, file, now, `${account} ${now} ${n}`))
      return found
    })
    const [first] = files
    if (first?.field === null) return { ...request, ...raw, body: { fileUrl: `${origin}${paths[0]}` } }
    const body = { ...(request.body as object) }
    for (const [n, { field }] of files.entries()) addField(body, field ?? 'file', `${origin}${paths[n]}`)
    return { ...request, ...raw, body }
  }

  function mentions({ id, program, definition }: VersionRow): boolean {
    let found = mentioning.get(id)
    if (found === undefined) {
      if (mentioning.size >= mostPublished) mentioning.clear()
      found = (program ?? definition).includes('rawBody')
      mentioning.set(id, found)
    }
    return found
  }

  async function live({ live_version: id }: AutomationRow, hash: string | null): Promise<VersionRow | undefined> {
    if (id === null) return undefined
    const kept = published.get(id)
    // On a platform with a seed that is made anew, the same id may come again.
    if (kept && kept.hash === hash) return kept
    const version = await findVersion(connection.read, id)
    if (version === undefined) return undefined
    const [oldest] = published.keys()
    if (published.size >= mostPublished && oldest !== undefined) published.delete(oldest)
    published.set(id, version)
    return version
  }

  async function accept(
    runner: Runner,
    row: AutomationRow,
    version: VersionRow,
    payload: HookRequest,
    { isDraft }: HookMode,
    key: string | undefined,
  ): Promise<string> {
    const accepted = await connection.write(async (query) =>
      runner.accept(query, { automation: row, version, payload, testing: isDraft, ...(key !== undefined && { dedupe: `key ${key}` }) }, await clock.now(query)),
    )
    if (accepted) {
      void runner.start(accepted)
      return accepted.row.id
    }
    return (await findRunByDedupe(connection.read, row.id, `key ${key}`))?.id ?? ''
  }

  async function answerOf(runner: Runner, run: string): Promise<HookResult> {
    const standing = await runner.standing(run, patience)
    if (standing?.answer) return { kind: 'answered', run, answer: standing.answer }
    if (!standing?.isOver) return { kind: 'no_answer' }
    return (await findRun(connection.read, run))?.status === 'FAILED' ? { kind: 'failed', run } : { kind: 'no_answer' }
  }

  async function keep(row: AutomationRow, request: HookRequest): Promise<HookResult> {
    await connection.write((query) => writeValue(query, row.account_id, `automation:${row.id}`, 'sample', JSON.stringify(request)))
    return { kind: 'kept' }
  }
}

/** Whether a call has what the trigger asks for: nothing, a user with a password, or a header. */
async function isAllowed(trigger: AutomationNode, headers: Readonly<Record<string, string>>): Promise<boolean> {
  const input = own(settingsOf(trigger), 'input')
  const type = own(input, 'authType') ?? 'none'
  if (type === 'none' || type === '') return true
  const field = (name: string): string => String(own(own(input, 'authFields'), name) ?? '')
  const { isSame } = await import('../same.ts')
  if (type === 'basic') return isSame(headers['authorization'] ?? '', `Basic ${Buffer.from(`${field('username')}:${field('password')}`).toString('base64')}`)
  return isSame(headers[field('headerName').toLowerCase()] ?? '', field('headerValue'))
}
