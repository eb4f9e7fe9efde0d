import { capabilitiesHeader, capabilitiesIn } from '../contract/capabilities.ts'
import type { Endpoint } from '../contract/endpoint.ts'
import type { PlainRequest, PlainResponse } from '../contract/message.ts'
import { type Body, missingPart, readBody } from './answer.ts'
import type { Call, CallMore, CallOptions, Client, Reply, Wait } from './client.ts'
import { createCredentials, keyMark } from './credentials.ts'
import { ClientFailure, spendOutcome } from './failure.ts'
import type { Journal } from './journal.ts'
import { refuseMasks } from './masked-body.ts'
import { hasPages, keepEnvelope, nextPage, withoutEnvelope } from './next-page.ts'
import { isStopped } from './open-operation.ts'
import { toRequest } from './request.ts'
import { defaultPolicy, readRetryAfter, retryWait, type TryOutcome } from './retry.ts'
import { routeOf, withOwnNames } from './routes.ts'
import { type Transport, TransportError } from './transport.ts'
import { uuidFrom } from './uuid.ts'

export type { Call, CallMore, CallOptions, Client, Reply, Wait }

type Mend = typeof import('../contract/lenient.ts')['mended']
let mend: Mend | undefined
const lenient = async (): Promise<Mend> => {
  mend ??= (await import('../contract/lenient.ts')).mended
  return mend
}

/** A client for one platform and one key. */
export function createCall(options: CallOptions): Client {
  const { transport, codec, log, now, random } = options
  const newId = options.newId ?? (() => uuidFrom(random))
  const credentials = createCredentials(options)
  let advertised: ReadonlySet<string> | undefined
  const policy = { ...defaultPolicy, retries: options.retries ?? defaultPolicy.retries, random }

  const isIdempotent = (): boolean => advertised?.has('idempotency') === true

  async function raw(endpoint: Endpoint, input: unknown, more: CallMore = {}): Promise<Reply<unknown>> {
    const plain = toRequest(endpoint, input, options)
    if (plain.body !== undefined) refuseMasks(plain.body, input)
    const spends = endpoint.risk === 'spends'
    const idempotencyKey = more.idempotencyKey ?? (spends ? (options.spending?.idempotencyKey ?? newId()) : undefined)
    const headers = {
      ...plain.headers,
      ...(await credentials.headers(endpoint.auth ?? 'key')),
      'user-agent': options.userAgent ?? 'parley',
      'x-request-id': newId(),
      ...(idempotencyKey !== undefined && { 'idempotency-key': idempotencyKey }),
      ...(more.recall && { 'parley-recall': '1' }),
      ...more.headers,
    }
    const request = { ...plain, headers }
    const journal = spends && !more.recall && !more.asIs && options.journal ? await options.journal() : undefined
    const { authorization: bearer } = headers as Readonly<Record<string, string>>
    const intent = {
      endpoint: endpoint.name,
      input,
      idempotencyKey: idempotencyKey ?? '',
      profile: options.profile ?? '',
      baseUrl: transport.base,
      ...(bearer !== undefined && { keyMark: keyMark(bearer.slice('Bearer '.length)) }),
      ...(endpoint.name === 'numbers.buy' && { selection: more.selection ?? null }),
    }
    const entry = journal?.begin(intent, more.isTracked ? undefined : (it) => isStopped(it, intent, options.spending, isIdempotent()))
    try {
      const reply = await exchange(endpoint, request, input, more)
      if (entry) settle(journal, entry, 'done', { status: reply.status, requestId: reply.requestId })
      return reply
    } catch (error) {
      if (entry)
        settle(journal, entry, spendOutcome(error), {
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
    { signal, asIs = false, timeoutMs = options.timeoutMs ?? 30_000, onWait = options.onWait, ready }: CallMore,
  ): Promise<Reply<unknown>> {
    const sentId = request.headers['x-request-id'] ?? ''
    const aborted = (): Promise<ClientFailure> =>
      failureOf(endpoint, { error: new TransportError('aborted', 'interrupted', false) }, undefined, sentId, timeoutMs)
    for (let attempt = 1; ; attempt++) {
      const turn = ready?.()
      if (turn && !(await turn.then(yes, no))) throw await aborted()
      const tried = await once(request, { timeoutMs, ...(signal && { signal }) }, attempt)
      if (!asIs && 'response' in tried && tried.response.status >= 200 && tried.response.status < 300)
        return accept(endpoint, input, tried.response, sentId, attempt)
      if (asIs && 'response' in tried && tried.response.status !== 429) return looked(endpoint, tried.response, sentId, attempt)
      const body = 'response' in tried ? refusalOf(endpoint, readBody(tried.response)) : undefined
      const outcome = 'response' in tried ? outcomeOf(tried.response, body) : tried.error
      const waitMs = retryWait(attempt, outcome, endpoint, { ...policy, isIdempotent: isIdempotent() })
      if (waitMs === null) throw await failureOf(endpoint, tried, body, sentId, timeoutMs)
      onWait?.({ waitMs, attempt, because: await reasonOf(tried, timeoutMs) })
      await options.sleep(waitMs, signal).catch(() => {})
      if (signal?.aborted) throw await aborted()
    }
  }

  async function once(request: PlainRequest, send: Parameters<Transport['send']>[1], attempt: number): Promise<Tried> {
    const start = now()
    let tried: Tried
    try {
      tried = { response: await transport.send(request, send), request }
      // An answer of something in between, such as a proxy's 502, takes nothing back.
      if (!advertised || capabilitiesHeader in tried.response.headers) advertised = capabilitiesIn(tried.response.headers)
    } catch (error) {
      if (!(error instanceof TransportError)) throw error
      tried = { error }
    }
    log?.exchange({ base: transport.base, request, ...tried, ms: now() - start, attempt, secrets: credentials.secrets() })
    return tried
  }

  async function accept(endpoint: Endpoint, input: unknown, response: PlainResponse, sentId: string, tries: number): Promise<Reply<unknown>> {
    const body = translate(readBody(response))
    const nothingDue = endpoint.status === 204 || (response.status === 204 && mayBeSilent(endpoint))
    if (!('json' in body) && !nothingDue) throw await failureOf(endpoint, { response }, body, sentId, 0)
    // Loaded with the first answer: a command that sends nothing has no use for it.
    const output = 'json' in body ? (mend ?? (await lenient()))(endpoint.output, withoutEnvelope(endpoint, body.json)) : nothingDue ? {} : undefined
    if ('json' in body && output !== body.json) keepEnvelope(output, body.json)
    const missing = nothingDue ? undefined : missingPart(endpoint, output, input)
    if (missing !== undefined) throw await failureOf(endpoint, { response }, body, sentId, 0, missing)
    if (log?.debug && !nothingDue) {
      const checked = endpoint.output.safeParse('json' in body ? body.json : undefined)
      if (!checked.success)
        log.note(
          `${endpoint.name} answered differently from the contract: ${checked.error.issues.map((it) => `${it.path.join('.') || 'answer'}: ${it.message}`).join('; ')}`,
        )
    }
    const { status, headers } = response
    options.onAnswer?.(endpoint, output, headers)
    const assumed = headers['parley-assumed']
    return { output, status, headers, requestId: headers['x-request-id'] ?? sentId, tries, ...(assumed !== undefined && { assumed }) }
  }

  const reasonOf = async (tried: Tried, timeoutMs: number): Promise<string> =>
    'response' in tried
      ? `The platform answered ${tried.response.status}`
      : (await import('./from-transport.ts')).unanswered(tried.error, { base: transport.base, timeoutMs })

  function looked(endpoint: Endpoint, response: PlainResponse, sentId: string, tries: number): Reply<unknown> {
    const { status, headers } = response
    const read = readBody(response)
    const body = status >= 400 ? refusalOf(endpoint, read) : translate(read)
    return { output: 'json' in body ? body.json : undefined, status, headers, requestId: headers['x-request-id'] ?? sentId, tries }
  }

  async function failureOf(
    endpoint: Endpoint,
    tried: Tried,
    body: Body | undefined,
    sentId: string,
    timeoutMs: number,
    missing?: string,
  ): Promise<ClientFailure> {
    const { base } = transport
    if ('error' in tried) return (await import('./from-transport.ts')).fromTransport(tried.error, endpoint, { base, timeoutMs, requestId: sentId })
    const requestId = tried.response.headers['x-request-id'] ?? sentId
    return (await import('./from-response.ts')).fromResponse(endpoint, tried.response, {
      base,
      requestId,
      now: now(),
      ...(tried.request && { asked: { method: tried.request.method, path: tried.request.url.split('?', 1)[0] as string } }),
      ...(options.vocabulary !== undefined && { vocabulary: options.vocabulary }),
      isIdempotent: isIdempotent(),
      ...(body && { body }),
      ...(missing !== undefined && { missing }),
    })
  }

  const translate = (body: Body): Body => (codec && 'json' in body ? { json: codec.incoming(body.json) } : body)

  /** What a refusal says of the fields, in the words they were given in. */
  function refusalOf(endpoint: Endpoint, body: Body): Body {
    if (!('json' in body)) return body
    return { json: withOwnNames(codec ? codec.refusal(body.json) : body.json, routeOf(endpoint, options.routes)) }
  }

  function outcomeOf({ status, headers }: PlainResponse, body: Body | undefined): TryOutcome {
    const retryAfter = readRetryAfter(headers, body && 'json' in body ? body.json : undefined, now())
    return { status, headers, ...(retryAfter !== undefined && { retryAfter }) }
  }

  /** The deed is done or not whatever the journal says now: an entry that stays open is found by `ops reconcile`. */
  function settle(journal: Journal | undefined, ...what: Parameters<Journal['settle']>): void {
    try {
      journal?.settle(...what)
    } catch (error) {
      log?.note(`The journal could not be written: ${(error as Error).message}`)
    }
  }

  /** The same; a list that the contract answers in one piece, and the platform in pages, is read to its end. */
  async function whole(endpoint: Endpoint, input: unknown, more?: CallMore): Promise<Reply<unknown>> {
    const reply = await raw(endpoint, input, more)
    if (endpoint.items === undefined || hasPages(endpoint) || endpoint.risk !== 'read' || more?.asIs || nextPage(reply.output) === undefined) return reply
    const page = Object.assign(async (...asked: Parameters<typeof raw>) => (await raw(...asked)).output, { raw }) as Call
    const { withFurtherPages } = await import('./whole-list.ts')
    return { ...reply, output: await withFurtherPages(page, endpoint, input as never, reply.output, more) }
  }

  const call = async (endpoint: Endpoint, input: unknown, more?: CallMore): Promise<unknown> => (await whole(endpoint, input, more)).output
  const client = Object.assign(call, { raw: whole, capabilities: () => advertised }) as Client
  return client
}

const yes = (): boolean => true
const no = (): boolean => false

type Tried = { readonly response: PlainResponse; readonly request?: PlainRequest } | { readonly error: TransportError }

/** Whether an answer without a body is one: what was asked for, or proves a write, cannot be told in nothing. */
const mayBeSilent = ({ risk, items, record, proof }: Endpoint): boolean =>
  risk !== 'read' && risk !== 'spends' && items === undefined && record === undefined && proof === undefined
