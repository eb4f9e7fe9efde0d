import { isUtf8 } from 'node:buffer'
import type { AutomationNode } from '../../../../contract/automations/automation-node.ts'
import { isObject } from '../../../../contract/values/json-object.ts'
import { getOwn, nodeSettings } from '../../../../engine/definition/node.ts'
import { runOfWait, waitId } from '../../../../engine/runs/run-keys.ts'
import type { RunAnswer } from '../../../../engine/runs/run-state.ts'
import type { WebhookRequest } from '../../../../engine/templates/event-samples.ts'
import { parseJson, stringifyJson } from '../../../../node/json.ts'
import type { RunRequest } from '../../../runs/accept-run.ts'
import { leaseMs, waitingRunsRetryAfter } from '../../../runs/run-limits.ts'
import type { OwnedRun, RunResult } from '../../../runs/run-waiters.ts'
import type { Runner } from '../../../runs/runner.ts'
import { findVersion, type VersionRow } from '../../../store/automations/automation-versions.ts'
import { type AutomationRow, findAutomationWithHash } from '../../../store/automations/automations.ts'
import { findAnyWait, findWait, listWaits, resumeWait, type WaitRow } from '../../../store/automations/run-waits.ts'
import {
  findAnyRun,
  findRun,
  findRunByDedupe,
  type RunRow,
  rescheduleRun,
  updateRun,
} from '../../../store/automations/runs.ts'
import { valuesOwner, writeAutomationValue } from '../../../store/automations/stored-values.ts'
import { accountQuery } from '../../../store/database/account-query.ts'
import { findById } from '../../runtime/account-ids.ts'
import { hashSecret } from '../../runtime/api-keys.ts'
import type { Deps } from '../../runtime/deps.ts'
import { isEqualSecret } from '../../runtime/vault.ts'
import { openDefinition } from '../publishing/sealed-definitions.ts'
import { addField, findFile, storeFile, type WebhookFile } from './webhook-files.ts'
import { isApprovalToken } from './webhook-paths.ts'

/** The credential that a trigger requires: the header it is in, and its value. */
interface RequiredCredential {
  readonly header: string
  readonly value: string
}

/**
 * Checks the credentials of a request to a webhook. Returns undefined when they are right or none are required. After
 * too many wrong ones from an address, only callers whose credentials were accepted before are let through, because
 * passwords can be guessed.
 */
async function checkCredentials(
  { attempts: attemptsOf, log }: Pick<Deps, 'attempts' | 'log'>,
  id: string,
  trigger: AutomationNode,
  { headers, remoteAddress }: IncomingRequest,
): Promise<WebhookResult | undefined> {
  const required = requiredCredential(trigger)
  if (!required) return undefined
  const given = headers[required.header] ?? ''
  const isRight = isEqualSecret(given, required.value)
  const attempts = remoteAddress === undefined ? undefined : await attemptsOf?.()
  if (!attempts || remoteAddress === undefined) return isRight ? undefined : reject()
  const credential = hashSecret(stringifyJson([id, remoteAddress, required]))
  if (isRight && attempts.isAccepted(credential)) return undefined
  const seconds = attempts.waitOf(remoteAddress, id)
  if (seconds > 0) return { kind: 'throttled', seconds }
  if (isRight) {
    attempts.accept(credential)
    return undefined
  }
  attempts.fail(remoteAddress, id)
  return reject()

  function reject(): WebhookResult {
    log(`webhook ${id}: a call with missing or invalid credentials was rejected`)
    return { kind: 'unauthorized' }
  }
}

/** Returns what a trigger requires: nothing, basic authentication, or a header. */
function requiredCredential(trigger: AutomationNode): RequiredCredential | undefined {
  const input = getOwn(nodeSettings(trigger), 'input')
  const type = getOwn(input, 'authType') ?? 'none'
  if (type === 'none' || type === '') return undefined
  const field = (name: string): string => String(getOwn(getOwn(input, 'authFields'), name) ?? '')
  if (type !== 'basic') return { header: field('headerName').toLowerCase(), value: field('headerValue') }
  const login = Buffer.from(`${field('username')}:${field('password')}`).toString('base64')
  return { header: 'authorization', value: `Basic ${login}` }
}

/** A request as it was received. Its files are stored only after it is accepted. */
export interface IncomingRequest extends WebhookRequest {
  readonly files?: readonly WebhookFile[]
  /** The body as it was sent. */
  readonly rawBytes?: Uint8Array
  /** Base URL at which the platform was reached, for the addresses of files. */
  readonly origin?: string
  /** Address of the client; callers in the same process have none. */
  readonly remoteAddress?: string
}

/**
 * The outcome of a request to a webhook or to an address that ends a wait. automation-webhooks.ts answers each kind with a status, and
 * assistant-functions.ts with an error for the model.
 */
type WebhookResult =
  | {
      readonly kind: 'unknown' | 'disabled' | 'unauthorized' | 'sample_saved' | 'no_answer' | 'used' | 'ended' | 'ready'
    }
  | { readonly kind: 'throttled' | 'behind'; readonly seconds: number }
  | { readonly kind: 'accepted' | 'failed'; readonly run: string }
  | { readonly kind: 'answered'; readonly run: string; readonly answer: RunAnswer }

/** Which of an automation's webhook addresses received the request. */
export interface WebhookMode {
  readonly isSync: boolean
  readonly isDraft: boolean
  /** Whether the request is only stored as a sample. */
  readonly isTest: boolean
}

/** The outcome of a request to an approval link. */
export type ApprovalResult = WebhookResult | { readonly kind: 'recorded' | 'not_waiting' }

/** Returns whether the latest response of a run has the address that ends a wait. */
const isCallback = ({ answer }: Pick<RunRow, 'answer'>, { id }: WaitRow): boolean =>
  answer !== null && (parseJson(answer) as RunAnswer).resume === id

const maxCachedVersions = 200

/** Milliseconds a caller of `/sync` waits for an answer. */
const syncTimeoutMs = 30_000

/**
 * Accepts requests to webhooks. A run is stored before the request is acknowledged. `countRequest` throws for an account
 * that has made too many requests.
 */
export function webhookService(deps: Deps, countRequest: (account: number) => Promise<void> = async () => {}) {
  const { connection, clock, vault } = deps
  /** Cache of recently used versions, by id. Published versions never change. */
  const publishedVersions = new Map<string, VersionRow>()
  /** Cache of whether a version uses the raw body, by id and hash of the version. */
  const rawBodyUse = new Map<string, boolean>()

  return {
    /**
     * Handles a request to a webhook. `key` is the caller's Idempotency-Key: requests with the same key start one run.
     */
    async receive(id: string, mode: WebhookMode, incoming: IncomingRequest, key?: string): Promise<WebhookResult> {
      const row = await connection.cachedRead(`automation ${id}`, () => findAutomationWithHash(connection, id))
      if (!row) return { kind: 'unknown' }
      const draft =
        mode.isDraft && row.draft_version !== null
          ? await findVersion(accountQuery(connection.read, row.account_id), row.draft_version)
          : undefined
      const version = draft ?? (await findLiveVersion(row, row.live_hash))
      if (version?.trigger_kind !== 'webhook') return { kind: 'unknown' }
      const runner = await deps.runner()
      const rejection = await checkCredentials(deps, id, runner.getProgram(version), incoming)
      if (rejection) return rejection
      if (!mode.isTest && row.status === 'disabled' && !mode.isDraft) return { kind: 'disabled' }
      await countRequest(row.account_id)
      if (!mode.isTest && runner.isBehind(row.account_id)) return { kind: 'behind', seconds: waitingRunsRetryAfter }
      const request = await storeFiles(row.account_id, incoming, mode.isTest || usesRawBody(version))
      if (mode.isTest) return saveSample(row, request)
      const { isDraft, isSync } = mode
      // Stored, and compared with the key of a repeated request: it never changes.
      const dedupe = key === undefined ? undefined : `key ${key}`
      const wanted: RunRequest = { automation: row, version, payload: request, testing: isDraft, dedupe }
      const answering = isSync ? await runner.runAndAnswer(wanted, syncTimeoutMs) : undefined
      if (answering) return toResult({ id: answering.run, account: row.account_id }, await answering.result)
      const { run, isHeld } = await acceptRun(runner, wanted)
      if (!isSync) return { kind: 'accepted', run }
      return isHeld ? { kind: 'no_answer' } : waitForAnswer(runner, { id: run, account: row.account_id })
    },

    /**
     * Returns what a request to the address would result in, without making one. `ready` means it would start a run.
     */
    async check(id: string): Promise<WebhookResult> {
      const row = await connection.cachedRead(`automation ${id}`, () => findAutomationWithHash(connection, id))
      const version = row && (await findLiveVersion(row, row.live_hash))
      if (!row || version?.trigger_kind !== 'webhook') return { kind: 'unknown' }
      return { kind: row.status === 'disabled' ? 'disabled' : 'ready' }
    },

    /** Returns what a request to an address that ends a wait would result in. */
    async checkCallback(wait: string): Promise<WebhookResult> {
      const found = await findCallback(wait)
      return { kind: typeof found === 'string' ? found : 'ready' }
    },

    file: (id: string) => findFile(connection.read, id),

    /** Handles a request to the address in a response: the run continues with the request. */
    async handleCallback(wait: string, incoming: IncomingRequest, isSync: boolean): Promise<WebhookResult> {
      const found = await findCallback(wait)
      return typeof found === 'string' ? { kind: found } : endWait(found, incoming, isSync)
    },

    /**
     * Handles a request to an approval link: ends the present wait of the run. `recorded` means that it did. With
     * `isCheck`, only returns what it would do.
     */
    async handleApproval(run: string, incoming: IncomingRequest, isCheck: boolean): Promise<ApprovalResult> {
      const [token = ''] = [incoming.queryParams.token ?? []].flat()
      const row = isApprovalToken(vault, run, token)
        ? await findById(deps, run, { own: (query) => findRun(query, run), any: (query) => findAnyRun(query, run) })
        : undefined
      if (!row) return { kind: 'unknown' }
      const waits = await listWaits(accountQuery(connection.read, row.account_id), row.number)
      const isApproval = (wait: WaitRow): boolean =>
        wait.until === null && wait.id === waitId(row, wait.path) && !isCallback(row, wait)
      const open = waits.find((it) => it.resumed_at === null && isApproval(it))
      if (!open) return { kind: waits.some(isApproval) ? 'used' : row.finished_at === null ? 'not_waiting' : 'ended' }
      if (isCheck) return { kind: row.status === 'PAUSED' ? 'ready' : 'ended' }
      // The token is not part of the output.
      const { token: _, ...queryParams } = incoming.queryParams
      const result = await endWait(open, { ...incoming, queryParams }, false)
      return result.kind === 'accepted' ? { kind: 'recorded' } : result
    },
  }

  /** Ends the wait of a run. The request becomes the output of the waiting step. */
  async function endWait(found: WaitRow, incoming: IncomingRequest, isSync: boolean): Promise<WebhookResult> {
    const wait = found.id
    const run = runOfWait(wait)
    const request = await storeFiles(found.account_id, incoming, true)
    const isResumed = await connection.write({ account: found.account_id }, async (query) => {
      const row = await findRun(query, run)
      if (row?.status !== 'PAUSED' || row.testing === 1) return false
      const now = await clock.now(query)
      const { body, headers, queryParams } = request
      if (!(await resumeWait(query, wait, stringifyJson({ body, headers, queryParams }), now))) return false
      // An answer from before the wait is not the answer to this request.
      await updateRun(query, found.run, { answer: null })
      // Leased, so that no other server continues the run at the same time.
      return rescheduleRun(query, run, now, { owner: deps.owner, until: deps.wall() + leaseMs })
    })
    if (!isResumed) return { kind: 'used' }
    const runner = await deps.runner()
    await runner.resume([{ id: run, account: found.account_id }])
    return isSync ? waitForAnswer(runner, { id: run, account: found.account_id }) : { kind: 'accepted', run }
  }

  /**
   * Finds the wait that a request to an address would end, or why it would not. Only an address in a response is valid:
   * who knows a run can guess those of its approvals and delays.
   */
  async function findCallback(id: string): Promise<WaitRow | 'unknown' | 'used' | 'ended'> {
    const wait = await findById(deps, runOfWait(id), {
      own: (query) => findWait(query, id),
      any: (query) => findAnyWait(query, id),
    })
    if (!wait) return 'unknown'
    if (wait.resumed_at !== null) return 'used'
    const run = await findRun(accountQuery(connection.read, wait.account_id), runOfWait(id))
    if (run?.status !== 'PAUSED') return 'ended'
    return isCallback(run, wait) ? wait : 'unknown'
  }

  /**
   * Stores the files and returns the request for the trigger: files as addresses, and the raw body only if the
   * definition uses it.
   */
  async function storeFiles(
    account: number,
    { files = [], origin = '', rawBytes, remoteAddress: _, ...request }: IncomingRequest,
    includesRawBody: boolean,
  ): Promise<WebhookRequest> {
    const raw = includesRawBody && rawBytes ? rawBodyOf(rawBytes) : {}
    if (files.length === 0) return { ...request, ...raw }
    const paths = await connection.write({ account }, async (query) => {
      const now = await clock.now(query)
      const found: string[] = []
      for (const [n, file] of files.entries())
        found.push(await storeFile(query, deps, account, file, now, `${account} ${now} ${n}`))
      return found
    })
    const [first] = files
    if (first?.field === null) return { ...request, ...raw, body: { fileUrl: `${origin}${paths[0]}` } }
    const body = { ...(isObject(request.body) && request.body) }
    for (const [n, { field }] of files.entries()) addField(body, field ?? 'file', `${origin}${paths[n]}`)
    return { ...request, ...raw, body }
  }

  function usesRawBody({ id, hash, account_id, program, definition }: VersionRow): boolean {
    const key = `${id} ${hash}`
    let found = rawBodyUse.get(key)
    if (found === undefined) {
      if (rawBodyUse.size >= maxCachedVersions) rawBodyUse.clear()
      found = openDefinition(vault, account_id, program ?? definition).includes('rawBody')
      rawBodyUse.set(key, found)
    }
    return found
  }

  async function findLiveVersion(
    { account_id: account, live_version: id }: AutomationRow,
    hash: string | null,
  ): Promise<VersionRow | undefined> {
    if (id === null) return undefined
    const cached = publishedVersions.get(id)
    // A seeded platform that was reset may issue the same id for other content, so the hash is compared.
    if (cached && cached.hash === hash) return cached
    const version = await findVersion(accountQuery(connection.read, account), id)
    if (version === undefined) return undefined
    const [oldest] = publishedVersions.keys()
    if (publishedVersions.size >= maxCachedVersions && oldest !== undefined) publishedVersions.delete(oldest)
    publishedVersions.set(id, version)
    return version
  }

  async function acceptRun(runner: Runner, request: RunRequest): Promise<{ run: string; isHeld: boolean }> {
    const { automation, dedupe = '' } = request
    const accepted = await connection.write({ account: automation.account_id }, async (query) =>
      runner.accept(query, request, await clock.now(query)),
    )
    if (accepted) {
      void runner.start(accepted)
      return { run: accepted.row.id, isHeld: accepted.isHeld === true }
    }
    const earlier = await findRunByDedupe(accountQuery(connection.read, automation.account_id), automation.id, dedupe)
    return { run: earlier?.id ?? '', isHeld: false }
  }

  async function waitForAnswer(runner: Runner, run: OwnedRun): Promise<WebhookResult> {
    return toResult(run, await runner.waitForResult(run, syncTimeoutMs))
  }

  async function toResult({ id: run, account }: OwnedRun, state: RunResult | undefined): Promise<WebhookResult> {
    if (state?.answer) return { kind: 'answered', run, answer: state.answer }
    if (!state?.isOver) return { kind: 'no_answer' }
    return (await findRun(accountQuery(connection.read, account), run))?.status === 'FAILED'
      ? { kind: 'failed', run }
      : { kind: 'no_answer' }
  }

  /** Stores a request as the sample, with which automation-builder.ts tests the next definition; both have the key `sample`. */
  async function saveSample(row: AutomationRow, request: WebhookRequest): Promise<WebhookResult> {
    await connection.write({ account: row.account_id }, (query) =>
      writeAutomationValue(query, valuesOwner('automation', row.id), 'sample', stringifyJson(request)),
    )
    return { kind: 'sample_saved' }
  }
}

/** Returns a body as text from which its bytes can be restored. */
const rawBodyOf = (bytes: Uint8Array): Pick<WebhookRequest, 'rawBody' | 'rawBodyEncoding'> => {
  const rawBodyEncoding = isUtf8(bytes) ? 'utf8' : 'base64'
  return { rawBody: Buffer.from(bytes).toString(rawBodyEncoding), rawBodyEncoding }
}
