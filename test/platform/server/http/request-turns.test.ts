import { describe, expect, test } from 'vitest'
import type { PlainRequest, PlainResponse } from '../../../../src/contract/endpoint/http-message.ts'
import { inTurns } from '../../../../src/platform/server/http/request-turns.ts'

function withResolvers(): { promise: Promise<void>; resolve: () => void } {
  let resolve = (): void => {}
  const promise = new Promise<void>((done) => {
    resolve = done
  })
  return { promise, resolve }
}

/** A server whose event loop turns when the test says so. */
function server(accountOf: Readonly<Record<string, number>> = {}, maxPerAccount?: number) {
  const started: string[] = []
  const coming: (() => void)[] = []
  const long: (() => void)[] = []
  let unanswered: Promise<void> | undefined
  /** Answers no request until the returned function is called. */
  const holdAnswers = (): (() => void) => {
    const { promise, resolve } = withResolvers()
    unanswered = promise
    return () => {
      unanswered = undefined
      resolve()
    }
  }
  const handle = inTurns(
    async (request): Promise<PlainResponse> => {
      started.push(request.url)
      const account = accountOf[request.headers.authorization ?? '']
      request.context = { endpoint: undefined, account, traceId: undefined, startedAt: 0 }
      await unanswered
      return { status: 200, headers: {}, body: '' }
    },
    {
      ...(maxPerAccount !== undefined && { maxPerAccount }),
      nextTurn: (next) => void coming.push(next),
      whenLong: (next) => {
        long.push(next)
        return () => {}
      },
    },
  )
  const send = (url: string, authorization = '', address = '10.0.0.1'): void => {
    const request: PlainRequest = {
      method: 'GET',
      url,
      headers: authorization ? { authorization } : {},
      remote: { address, isProxied: false, isLocal: false },
    }
    void handle(request)
  }
  const settle = async (): Promise<void> => {
    for (let n = 0; n < 100; n++) await Promise.resolve()
  }
  const turn = async (): Promise<void> => {
    for (const next of coming.splice(0)) next()
    await settle()
  }
  return { started, send, turn, settle, holdAnswers, long, isIdle: () => coming.length === 0 }
}

describe('requests to a server', () => {
  test('of one account start at once, a few in each turn, and all of them in their order', async () => {
    const { started, send, turn, settle, isIdle } = server({ a: 1 })
    for (let n = 0; n < 300; n++) send(`a${n}`, 'a')
    await settle()
    expect(started.length).toBeGreaterThan(15)
    expect(started.length).toBeLessThan(300)
    while (!isIdle()) await turn()
    expect(started).toEqual(Array.from({ length: 300 }, (_, n) => `a${n}`))
  })

  test('of another account wait for one turn, however many connections an account has', async () => {
    const { started, send, turn, settle } = server({ a: 1, b: 2 })
    send('known', 'a')
    send('known', 'b')
    await settle()
    await turn()
    for (let n = 0; n < 200; n++) send(`a${n}`, 'a')
    send('b0', 'b')
    await settle()
    expect(started).not.toContain('b0')
    await turn()
    expect(started).toContain('b0')
    // A second one, while the requests of the other account still wait.
    send('b1', 'b')
    await turn()
    expect(started).toContain('b1')
    expect(started.length).toBeLessThan(20)
  })

  test('of an account wait while as many of it are in progress as may be, and those of others do not', async () => {
    const { started, send, turn, settle, holdAnswers, long, isIdle } = server({ a: 1, b: 2 }, 8)
    const turns = async (): Promise<void> => {
      while (!isIdle()) await turn()
    }
    send('known', 'a')
    send('known', 'b')
    await settle()
    await turns()
    started.splice(0)
    const answer = holdAnswers()
    for (let n = 0; n < 50; n++) send('a', 'a')
    await settle()
    await turns()
    expect(started).toHaveLength(8)
    for (let n = 0; n < 3; n++) send('b', 'b')
    await settle()
    await turns()
    expect(started.slice(8)).toEqual(['b', 'b', 'b'])
    // A request that takes long waits for something else.
    for (const finish of long.splice(0, 12)) finish()
    await turns()
    expect(started.filter((it) => it === 'a')).toHaveLength(16)
    answer()
    await settle()
    await turns()
    expect(started).toHaveLength(53)
  })

  test('with several keys of one account have one turn together', async () => {
    const { started, send, turn, settle } = server({ a: 1, a2: 1, a3: 1, b: 2 })
    for (const key of ['a', 'a2', 'a3', 'b']) send('known', key)
    await settle()
    await turn()
    for (let n = 0; n < 300; n++) send('other', ['a', 'a2', 'a3'][n % 3])
    for (let n = 0; n < 100; n++) send('b', 'b')
    await settle()
    const before = started.length
    for (let n = 0; n < 5; n++) await turn()
    const shares = started.slice(before)
    expect(shares.filter((it) => it === 'b')).toHaveLength(shares.length / 2)
  })

  test('without a key wait behind those of the same address only', async () => {
    const { started, send, turn, settle } = server()
    for (let n = 0; n < 200; n++) send(`many${n}`)
    send('visitor', '', '10.0.0.2')
    await settle()
    expect(started).not.toContain('visitor')
    await turn()
    expect(started).toContain('visitor')
  })

  test('are all answered once, whatever comes in which turn (seeded)', async () => {
    const seed = Date.now()
    let state = seed % 2_147_483_647
    const random = (below: number): number => {
      state = (state * 48_271) % 2_147_483_647
      return state % below
    }
    const { started, send, turn, isIdle } = server({ a: 1, b: 2, c: 3 })
    const sent: string[] = []
    for (let n = 0; n < 300; n++) {
      for (let count = random(20); count > 0; count--) {
        sent.push(`${sent.length}`)
        send(sent.at(-1) as string, ['a', 'b', 'c', ''][random(4)], `10.0.0.${random(3)}`)
      }
      if (random(2) === 0) await turn()
    }
    while (!isIdle()) await turn()
    expect([...started].sort(), `seed ${seed}`).toEqual([...sent].sort())
  })
})
