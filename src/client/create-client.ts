// One call of an endpoint, in order: record what costs money, send with retries, decide what the answer proves, record the
// outcome. A write is repeated only if no attempt of it can have been carried out, or under its idempotency key. The gate
// comes before the journal, so that what is not admitted leaves no entry. Fields of `intent` are those of journal lines,
// which other versions read: they are added, not renamed.

import { approvalClass } from '../contract/endpoint/approval-class.ts'
import { capabilitiesHeader, idempotencyOf, parseCapabilities } from '../contract/endpoint/capabilities.ts'
import type { Endpoint } from '../contract/endpoint/endpoint.ts'
import { assumedHeader, idempotencyKeyHeader, recallHeader, requestIdHeader } from '../contract/endpoint/headers.ts'
import type { PlainRequest, PlainResponse } from '../contract/endpoint/http-message.ts'
import { normalizeResponse } from '../contract/endpoint/normalize-response.ts'
import { failures } from '../contract/errors/failures.ts'
import { waitingOf } from '../contract/values/waiting-answer.ts'
import { crypto } from '../node/crypto.ts'
import { realTime } from '../node/real-time.ts'
import type { Call, CallSettings, Client, ClientOptions, Reply, Wait } from './client.ts'
import { billableOutcome, ClientFailure } from './failures/client-failure.ts'
import { failureFromResponse, type Unclear } from './failures/failure-from-response.ts'
import { failureFromTransport, noResponseReason } from './failures/failure-from-transport.ts'
import { isOutcomeUncertain, isRefusedWrite } from './failures/uncertain-writes.ts'
import type { Journal } from './journal/open-operations.ts'
import { findBlocking } from './journal/open-operations.ts'
import { hasReplayHeader, rememberReplay, toOutcomeDetail } from './journal/outcome-detail.ts'
import { hasPages, nextPage, rememberEnvelope, unwrapList } from './next-page.ts'
import { appendRemainingPages } from './read-all-pages.ts'
import { createAuthenticator, keyPrefix } from './requests/authenticator.ts'
import { buildRequest } from './requests/build-request.ts'
import { createRequestId } from './requests/request-id.ts'
import { requireNoMasks } from './requests/require-no-masks.ts'
import { routeOf, toContractNames } from './requests/route-overrides.ts'
import { findMissingPart, property, type ResponseBody, readBody } from './response-body.ts'
import {
  type AttemptOutcome,
  backoff,
  defaultRetryPolicy,
  mayRunTwice,
  readRetryAfter,
  retryDelayMs,
  takesIdempotencyKey,
} from './retry-policy.ts'
import { type Transport, TransportError } from './transport/transport.ts'

export type { Call, CallSettings as CallMore, Client, ClientOptions as CallOptions, Reply, Wait }

type NormalizeResponse = typeof import('../contract/endpoint/normalize-response.ts')['normalizeResponse']
let normalize: NormalizeResponse | undefined
const loadNormalizer = async (): Promise<NormalizeResponse> => {
  normalize ??= normalizeResponse
  return normalize
}

/** Creates a client for one platform and one key. */
export function createClient(options: ClientOptions): Client {
  const { transport, codec, log, now, random } = options
  const newId = options.newId ?? (() => crypto().randomUUID())
  const newRequestId = options.newId ?? (() => createRequestId(random))
  const credentials = createAuthenticator(options)
  let advertised: ReadonlySet<string> | undefined
  const policy = { ...defaultRetryPolicy, retries: options.retries ?? defaultRetryPolicy.retries, random }

  const isIdempotent = ({ method }: Endpoint): boolean => advertised?.has(idempotencyOf(method)) === true

  async function raw(endpoint: Endpoint, input: unknown, more: CallSettings = {}): Promise<Reply<unknown>> {
    const plain = buildRequest(endpoint, input, options)
    if (plain.body !== undefined && endpoint.risk !== 'read') requireNoMasks(input, options.refusedMasks ?? 'own')
    const admission =
      more.isOutcomeQuery || more.isReversal || (endpoint.risk === 'read' && approvalClass(endpoint, input) === 'none')
        ? undefined
        : await options.gate?.({
            endpoint,
            input,
            request: plain,
            priceUsd: more.priceUsd,
            maxPriceUsd: more.maxPriceUsd,
          })
    const spends = endpoint.risk === 'spends'
    const idempotencyKey =
      more.idempotencyKey ??
      (spends
        ? (options.billable?.idempotencyKey ?? admission?.idempotencyKey ?? newId())
        : (mayRunTwice(endpoint, input) || (isIdempotent(endpoint) && takesIdempotencyKey(endpoint))) &&
            !endpoint.returnsSecret
          ? newId()
          : undefined)
    const headers = {
      ...plain.headers,
      ...(await credentials.headers(endpoint.auth ?? 'key')),
      'user-agent': options.userAgent ?? 'parley',
      [requestIdHeader]: newRequestId(),
      ...(idempotencyKey !== undefined && { [idempotencyKeyHeader]: idempotencyKey }),
      ...(more.isOutcomeQuery && { [recallHeader]: '1' }),
      ...more.headers,
    }
    const request = { ...plain, headers }
    const journal =
      spends && !more.isOutcomeQuery && !more.acceptsAnyStatus && options.journal ? await options.journal() : undefined
    const { authorization: bearer } = headers as Readonly<Record<string, string>>
    const intent = {
      endpoint: endpoint.name,
      input,
      idempotencyKey: idempotencyKey ?? '',
      profile: options.profile ?? '',
      baseUrl: options.platform ?? transport.base,
      ...(bearer !== undefined && { keyMark: keyPrefix(bearer.slice('Bearer '.length)) }),
      ...(endpoint.name === 'numbers.buy' && { selection: more.selection ?? null }),
      ...(more.priceUsd !== undefined && { priceUsd: more.priceUsd }),
      ...(more.priceUsd === undefined && more.maxPriceUsd !== undefined && { maxPriceUsd: more.maxPriceUsd }),
      ...(more.minutePriceUsd !== undefined && { minutePriceUsd: more.minutePriceUsd }),
    }
    let entry: string | undefined
    try {
      entry = journal?.recordIntent(
        intent,
        more.isTracked
          ? more.findEarlier
          : () => findBlocking(journal, intent, options.billable, isIdempotent(endpoint)),
        more.requireBudget,
      )
      const reply = await exchange(endpoint, request, input, more)
      // The first attempt of this request may be the one that is answered again.
      const hasEarlier = (): boolean =>
        reply.attempts === 1 ||
        journal?.list({ keys: new Set([intent.idempotencyKey]) }).some((it) => it.id !== entry) === true
      if (spends && hasReplayHeader(reply) && hasEarlier()) rememberReplay(reply.output)
      if (entry) recordOutcome(journal, entry, 'done', toOutcomeDetail(reply))
      await admission?.settle('done')
      return reply
    } catch (error) {
      await admission?.settle(isRefusedWrite(error) ? 'refused' : 'unknown')
      if (entry)
        recordOutcome(journal, entry, billableOutcome(error), {
          message: (error as Error).message,
          ...(error instanceof ClientFailure && { code: error.code, status: error.status, requestId: error.requestId }),
        })
      throw error
    }
  }

  async function exchange(
    endpoint: Endpoint,
    request: PlainRequest,
    input: unknown,
    {
      signal,
      acceptsAnyStatus = false,
      acceptsThrottled = false,
      acceptsIncomplete = false,
      wasSeen = false,
      isOutcomeQuery = false,
      timeoutMs = options.timeoutMs ?? 30_000,
      onWait = options.onWait,
      beforeAttempt,
      findCreated,
    }: CallSettings,
  ): Promise<Reply<unknown>> {
    const sentId = request.headers[requestIdHeader] ?? ''
    let wasThrottled = false
    /** The first attempt that was sent and got no answer, after which the request was repeated. */
    let unanswered: Attempt | undefined
    const aborted = (): Promise<ClientFailure> =>
      failureOf(
        endpoint,
        { error: new TransportError('aborted', 'interrupted', unanswered !== undefined) },
        undefined,
        sentId,
        timeoutMs,
      )
    let firstSentAt: number | undefined
    for (let attempt = 1; ; attempt++) {
      const turn = beforeAttempt?.()
      if (turn && !(await turn.then(yes, no))) throw await aborted()
      firstSentAt ??= now()
      const attempted = await sendWithCurrentKey(request, { timeoutMs, ...(signal && { signal }) }, attempt)
      if (
        !acceptsAnyStatus &&
        'response' in attempted &&
        attempted.response.status >= 200 &&
        attempted.response.status < 300
      )
        return accept(endpoint, input, attempted.response, sentId, attempt, acceptsIncomplete)
      if (acceptsAnyStatus && 'response' in attempted && (acceptsThrottled || attempted.response.status !== 429))
        return rawReply(endpoint, attempted.response, sentId, attempt)
      const body = 'response' in attempted ? refusalOf(endpoint, readBody(attempted.response)) : undefined
      const outcome = 'response' in attempted ? outcomeOf(attempted.response, body) : attempted.error
      // A deletion that an earlier attempt carried out finds nothing more to delete.
      if (
        acceptsIncomplete &&
        (wasThrottled || (unanswered && wasSeen)) &&
        endpoint.method === 'DELETE' &&
        statusOf(attempted) === 404
      )
        return {
          ...rawReply(endpoint, (attempted as Answered).response, sentId, attempt),
          output: {},
          incomplete: 'a body',
        }
      const rejectedAt = realTime.monotonicMs()
      const isKeyed = isIdempotent(endpoint) && request.headers[idempotencyKeyHeader] !== undefined
      const isUncertain = statusOf(attempted) === 429 && !isKeyed && mayRunTwice(endpoint, input)
      const repeatsUnanswered =
        endpoint.risk !== 'spends' && (isKeyed || (wasSeen && acceptsIncomplete && endpoint.method === 'DELETE'))
      const keyState = unanswered && statusOf(attempted) === 409 ? await keyStateOf(body) : undefined
      const waitMs =
        keyState === 'busy'
          ? attempt > policy.retries
            ? null
            : backoff(attempt, policy)
          : retryDelayMs(attempt, outcome, endpoint, {
              ...policy,
              isIdempotent: isIdempotent(endpoint),
              repeatsUnanswered,
            })
      const fail = (unclear?: Unclear): Promise<ClientFailure> =>
        // Only a refusal shows that no earlier attempt was carried out.
        unanswered && (keyState !== undefined || !isRefusedStatus(statusOf(attempted)))
          ? failureOf(endpoint, unanswered, undefined, sentId, timeoutMs)
          : failureOf(endpoint, attempted, body, sentId, timeoutMs, undefined, isOutcomeQuery, unclear)
      if (endpoint.risk !== 'read' && 'error' in attempted && attempted.error.sent) unanswered ??= attempted
      if (isUncertain && !findCreated) throw await fail({ unclear: '' })
      if (waitMs === null && !isUncertain) throw await fail()
      if (waitMs !== null) {
        onWait?.({ waitMs, attempt, reason: await reasonOf(attempted, timeoutMs) })
        await options.sleep(waitMs, signal).catch(() => {})
        if (signal?.aborted) throw await aborted()
      }
      if (isUncertain && findCreated) {
        const created = await findCreated({ sentAt: firstSentAt, rejectedAt })
        if ('found' in created) {
          const { response } = attempted as Answered
          return { ...rawReply(endpoint, response, sentId, attempt), output: created.found, incomplete: 'a result' }
        }
        if ('unclear' in created) throw await fail(created)
        if (waitMs === null) throw await fail()
      }
      wasThrottled ||= statusOf(attempted) === 429
    }
  }

  /** Sends a request. If its key is refused, so that nothing was done, and was replaced since, sends it once more with the new one. */
  async function sendWithCurrentKey(
    request: PlainRequest,
    send: Parameters<Transport['send']>[1],
    attempt: number,
  ): Promise<Attempt> {
    const attempted = await sendOnce(request, send, attempt)
    const renewed = statusOf(attempted) === 401 ? await credentials.renewed(request.headers) : undefined
    return renewed ? sendOnce({ ...request, headers: { ...request.headers, ...renewed } }, send, attempt) : attempted
  }

  async function sendOnce(
    request: PlainRequest,
    send: Parameters<Transport['send']>[1],
    attempt: number,
  ): Promise<Attempt> {
    const start = now()
    let tried: Attempt
    try {
      tried = { response: await transport.send(request, send), request }
      const { status, headers } = tried.response
      // A failure without the header, such as a proxy's 502, says nothing about the capabilities of the platform.
      if (capabilitiesHeader in headers || (!advertised && !isUnspecific(status)))
        advertised = parseCapabilities(headers)
    } catch (error) {
      if (!(error instanceof TransportError)) throw error
      tried = { error }
    }
    log?.exchange({
      base: transport.base,
      request,
      ...tried,
      ms: now() - start,
      attempt,
      secrets: credentials.secrets(),
    })
    return tried
  }

  async function accept(
    endpoint: Endpoint,
    input: unknown,
    response: PlainResponse,
    sentId: string,
    tries: number,
    acceptsIncomplete: boolean,
  ): Promise<Reply<unknown>> {
    const body = translate(readBody(response))
    const toleratesIncomplete = acceptsIncomplete && endpoint.risk !== 'read' && endpoint.risk !== 'spends'
    const nothingDue =
      endpoint.status === 204 ||
      (response.status === 204 && mayBeEmpty(endpoint)) ||
      (toleratesIncomplete && !('json' in body) && !isPage(response))
    if (!('json' in body) && !nothingDue) throw await failureOf(endpoint, { response }, body, sentId, 0)
    // Loaded with the first response, because commands that send nothing do not need it.
    const output =
      'json' in body && waitingOf(body.json) !== undefined
        ? body.json
        : 'json' in body
          ? (normalize ?? (await loadNormalizer()))(endpoint.output, unwrapList(endpoint, body.json))
          : nothingDue
            ? {}
            : undefined
    if ('json' in body && output !== body.json) rememberEnvelope(output, body.json)
    const isAnswered = (!('json' in body) && nothingDue) || waitingOf(output) !== undefined
    const missing = isAnswered ? undefined : findMissingPart(endpoint, output, input)
    const incomplete = toleratesIncomplete ? (missing ?? ('json' in body ? undefined : 'a body')) : undefined
    if (missing !== undefined && !toleratesIncomplete)
      throw await failureOf(endpoint, { response }, body, sentId, 0, missing)
    if (log?.debug && !nothingDue) {
      const checked = endpoint.output.safeParse('json' in body ? body.json : undefined)
      if (!checked.success)
        log.note(
          `The response of ${endpoint.name} differs from the contract: ${checked.error.issues.map((it) => `${it.path.join('.') || 'answer'}: ${it.message}`).join('; ')}`,
        )
    }
    const { status, headers } = response
    options.onResponse?.(endpoint, output, headers)
    const assumed = headers[assumedHeader]
    return {
      output,
      status,
      headers,
      requestId: headers[requestIdHeader] ?? sentId,
      attempts: tries,
      ...(assumed !== undefined && { assumed }),
      ...(incomplete !== undefined && { incomplete }),
    }
  }

  const reasonOf = async (tried: Attempt, timeoutMs: number): Promise<string> =>
    'response' in tried
      ? `The platform returned ${tried.response.status}`
      : noResponseReason(tried.error, {
          base: transport.base,
          timeoutMs,
        })

  function rawReply(endpoint: Endpoint, response: PlainResponse, sentId: string, tries: number): Reply<unknown> {
    const { status, headers } = response
    const read = readBody(response)
    const body = status >= 400 ? refusalOf(endpoint, read) : translate(read)
    return {
      output: 'json' in body ? body.json : undefined,
      status,
      headers,
      requestId: headers[requestIdHeader] ?? sentId,
      attempts: tries,
    }
  }

  async function failureOf(
    endpoint: Endpoint,
    tried: Attempt,
    body: ResponseBody | undefined,
    sentId: string,
    timeoutMs: number,
    missing?: string,
    isOutcomeQuery = false,
    unclear?: Unclear,
  ): Promise<ClientFailure> {
    const { base } = transport
    if ('error' in tried)
      return failureFromTransport(tried.error, endpoint, {
        base,
        timeoutMs,
        requestId: sentId,
      })
    return failureFromResponse(endpoint, tried.response, {
      base,
      requestId: tried.response.headers[requestIdHeader] ?? sentId,
      now: now(),
      ...(tried.request && {
        request: { method: tried.request.method, path: tried.request.url.split('?', 1)[0] as string },
      }),
      ...(options.vocabulary !== undefined && { vocabulary: options.vocabulary }),
      isIdempotent: isIdempotent(endpoint),
      isOutcomeQuery,
      ...(unclear && { unclear }),
      ...(body && { body }),
      ...(missing !== undefined && { missing }),
    })
  }

  const translate = (body: ResponseBody): ResponseBody =>
    codec && 'json' in body ? { json: codec.incoming(body.json) } : body

  /** Returns a refusal with the field names of the contract. */
  function refusalOf(endpoint: Endpoint, body: ResponseBody): ResponseBody {
    if (!('json' in body)) return body
    return { json: toContractNames(codec ? codec.refusal(body.json) : body.json, routeOf(endpoint, options.routes)) }
  }

  function outcomeOf({ status, headers }: PlainResponse, body: ResponseBody | undefined): AttemptOutcome {
    const retryAfter = readRetryAfter(headers, body && 'json' in body ? body.json : undefined, now())
    return { status, headers, ...(retryAfter !== undefined && { retryAfter }) }
  }

  /** Records an outcome. A write error does not change it, so it is only logged; `ops reconcile` finds the entry. */
  function recordOutcome(journal: Journal | undefined, ...what: Parameters<Journal['recordOutcome']>): void {
    try {
      journal?.recordOutcome(...what)
    } catch (error) {
      log?.note(`Could not write the operations journal: ${(error as Error).message}`)
    }
  }

  /** Calls an endpoint. Reads all pages of a list that the platform returns in pages but the contract does not. */
  async function withAllPages(endpoint: Endpoint, input: unknown, more?: CallSettings): Promise<Reply<unknown>> {
    const reply = await raw(endpoint, input, more)
    if (
      endpoint.items === undefined ||
      hasPages(endpoint) ||
      endpoint.risk !== 'read' ||
      more?.acceptsAnyStatus ||
      nextPage(reply.output) === undefined
    )
      return reply
    const page = Object.assign(async (...asked: Parameters<typeof raw>) => (await raw(...asked)).output, {
      raw,
    }) as Call
    return { ...reply, output: await appendRemainingPages(page, endpoint, input, reply.output, more) }
  }

  const call = async (endpoint: Endpoint, input: unknown, more?: CallSettings): Promise<unknown> =>
    (await withAllPages(endpoint, input, more)).output
  return Object.assign(call, {
    raw: withAllPages,
    capabilities: () => advertised,
    readPayload: (payload: unknown) => (codec ? codec.incoming(payload) : payload),
  }) as Client
}

/** Returns whether a response is a page for a browser, such as the one of a proxy: it says nothing about a write. */
const isPage = ({ body }: PlainResponse): boolean => body.trimStart().startsWith('<')
/** Returns whether a failure says nothing about the platform: a proxy or a rejected key may be its cause. */
const isUnspecific = (status: number): boolean =>
  status === 401 || status === 403 || status === 429 || (status >= 500 && status !== 501)

const yes = (): boolean => true
const no = (): boolean => false

/** Returns whether a status refuses a write, so that no attempt of it was carried out. */
const isRefusedStatus = (status = 0): boolean =>
  status >= 400 && status < 500 && !isUnspecific(status) && !isOutcomeUncertain(status)

/**
 * Returns what an error says about the earlier request with the same idempotency key, if it does. It knows the catalogue
 * texts, which a Parley server sends unchanged.
 */
async function keyStateOf(body: ResponseBody | undefined): Promise<'busy' | 'interrupted' | undefined> {
  const said = body && 'json' in body ? property(body.json, 'message') : undefined
  if (said === failures.idempotency_busy.text) return 'busy'
  return said === failures.idempotency_interrupted.text ? 'interrupted' : undefined
}

type Answered = { readonly response: PlainResponse }

const statusOf = (attempted: Attempt): number | undefined =>
  'response' in attempted ? attempted.response.status : undefined

type Attempt =
  | { readonly response: PlainResponse; readonly request?: PlainRequest }
  | { readonly error: TransportError }

/** Returns whether an empty response is valid. Requested data and the proof of a write must be present. */
const mayBeEmpty = ({ risk, items, record, successProof }: Endpoint): boolean =>
  risk !== 'read' && risk !== 'spends' && items === undefined && record === undefined && successProof === undefined
