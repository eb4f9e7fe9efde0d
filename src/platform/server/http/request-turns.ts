import type { PlainRequest } from '../../../contract/endpoint/http-message.ts'
import { FairQueue } from '../../../node/fair-queue.ts'
import { realTime } from '../../../node/real-time.ts'
import type { RequestHandler } from '../app.ts'

/**
 * Requests that start in a turn of the event loop, before the server reads from its sockets again: of one account alone,
 * and while several send requests. Writes of one turn share a commit, so that more are faster; fewer are fairer.
 */
const requestsPerTurn = { alone: 64, shared: 4 }
/** Requests of one account in a row after which it is alone. */
const aloneAfter = 1000
/** Maximum number of API keys whose account is remembered. */
const maxKnownKeys = 10_000

/**
 * Requests of an account that may be in progress on PostgreSQL while several accounts send requests. Their statements
 * wait in the connections of the pool, in the order of arrival, so that those of other accounts wait behind them.
 */
export const maxPerAccount = 32
/** Milliseconds after which a request does not count any more: it waits for something else than the database. */
const countedMs = 100

/** How requests wait for their turn. */
interface Turns {
  /** Requests of an account that may be in progress while several accounts send requests (default: any number). */
  readonly maxPerAccount?: number
  /** Calls back in the next turn of the event loop. */
  readonly nextTurn?: (next: () => void) => void
  /** Calls back when a request does not count any more as one in progress. Returns a function that prevents it. */
  readonly whenLong?: (next: () => void) => () => void
}

/**
 * Wraps a handler so that accounts take turns: one with many connections does not delay the requests of others. A few
 * requests start in each turn of the event loop. The others wait, and the accounts have one each in turn. A request
 * without a known API key takes the turn of its client's address.
 */
export function inTurns(
  handle: RequestHandler,
  {
    maxPerAccount: max = Number.POSITIVE_INFINITY,
    nextTurn = realTime.setImmediate,
    whenLong = (next) => {
      const timer = realTime.setTimeout(next, countedMs).unref()
      return () => realTime.clearTimeout(timer)
    },
  }: Turns = {},
): RequestHandler {
  const waiting = new FairQueue<() => void, number | string>()
  const accounts = new Map<string, number>()
  let startedCount = 0
  let isTurnComing = false
  let latestCaller: number | string | undefined
  let inARow = aloneAfter

  const isCounting = max < Number.POSITIVE_INFINITY
  const isShared = (): boolean => inARow < aloneAfter
  const hasRoom = (): boolean => startedCount < requestsPerTurn[isShared() ? 'shared' : 'alone']
  const mayStart = (running: number): boolean => running < max || !isShared()

  function startTurn(): void {
    isTurnComing = false
    startedCount = 0
    while (hasRoom()) {
      const start = waiting.take(mayStart)
      if (!start) break
      startedCount++
      start()
    }
    if (startedCount > 0) awaitTurn()
  }
  function awaitTurn(): void {
    if (isTurnComing) return
    isTurnComing = true
    nextTurn(startTurn)
  }
  function callerOf({ headers: { authorization = '' }, remote }: PlainRequest): number | string {
    const caller = accounts.get(authorization) ?? remote?.address ?? ''
    inARow = caller === latestCaller ? inARow + 1 : latestCaller === undefined ? inARow : 0
    latestCaller = caller
    return caller
  }

  /** Counts a request of an account as one in progress until it is answered, or takes long. */
  async function counted<T>(caller: number | string, work: () => Promise<T>): Promise<T> {
    let isCounted = true
    const end = (): void => {
      if (!isCounted) return
      isCounted = false
      waiting.end(caller, 0)
      if (waiting.size > 0) awaitTurn()
    }
    const cancel = whenLong(end)
    try {
      return await work()
    } finally {
      cancel()
      end()
    }
  }

  return async (request) => {
    const caller = callerOf(request)
    awaitTurn()
    if (waiting.size === 0 && hasRoom() && mayStart(waiting.runningOf(caller))) {
      startedCount++
      if (isCounting) waiting.begin(caller)
    } else {
      await new Promise<void>((resolve) => waiting.add(caller, resolve))
      if (!isCounting) waiting.end(caller, 0)
    }
    const answer = isCounting ? await counted(caller, () => handle(request)) : await handle(request)
    const { authorization } = request.headers
    const account = request.context?.account
    if (account !== undefined && authorization !== undefined) {
      if (accounts.size >= maxKnownKeys) accounts.clear()
      accounts.set(authorization, account)
    }
    return answer
  }
}
