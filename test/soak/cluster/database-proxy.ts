import { type AddressInfo, createServer, connect as dial, type Socket } from 'node:net'

/**
 * How a connection is cut. `held`: no byte arrives in either direction, and afterwards all of them do, as when packets
 * are repeated. `lost`: bytes of the time of the cut are lost, and the connections end afterwards. `refused`: all
 * connections end at once, and no new ones are accepted.
 */
export type Cut = 'held' | 'lost' | 'refused'

/** Forwards connections of one server to its database. */
export interface DatabaseProxy {
  /** URL of the database through the proxy. */
  readonly url: string
  cut(how: Cut): void
  heal(): void
  /** Delays every byte by some milliseconds, in both directions; 0 ends it. */
  slow(ms: number): void
  /** Ends the connection of the next COMMIT: before it reaches the database, or after the database has answered it. */
  loseCommit(isForwarded: boolean): void
  /** Number of COMMITs whose connection was ended. */
  readonly lostCommits: number
  close(): void
}

interface Pair {
  readonly client: Socket
  readonly upstream: Socket
}

/** Starts a proxy on a free port of loopback. */
export async function startDatabaseProxy(database: string): Promise<DatabaseProxy> {
  const to = new URL(database)
  const pairs = new Set<Pair>()
  const state = { cut: undefined as Cut | undefined, delay: 0, lostCommits: 0 }
  let loss: { readonly isForwarded: boolean } | undefined
  const held: (() => void)[] = []

  const end = (pair: Pair): void => {
    pairs.delete(pair)
    pair.client.destroy()
    pair.upstream.destroy()
  }
  /** Sends bytes on, now or when the cut is over. Bytes keep their order: all of one time wait equally long. */
  const forward = (target: Socket, chunk: Buffer): void => {
    const send = (): void => void (target.destroyed || target.write(chunk))
    if (state.cut === 'held') held.push(send)
    else if (state.cut === undefined && state.delay > 0) setTimeout(() => forwardLate(target, chunk), state.delay)
    else if (state.cut === undefined) send()
  }
  const forwardLate = (target: Socket, chunk: Buffer): void => {
    if (state.cut === 'held') held.push(() => void (target.destroyed || target.write(chunk)))
    else if (state.cut === undefined && !target.destroyed) target.write(chunk)
  }
  const isLost = (pair: Pair, chunk: Buffer): boolean => {
    if (!loss || state.cut || !/(?:^|[;\0])commit/i.test(chunk.toString('latin1'))) return false
    const { isForwarded } = loss
    loss = undefined
    state.lostCommits++
    if (!isForwarded) end(pair)
    else {
      pair.upstream.removeAllListeners('data')
      pair.upstream.once('data', () => end(pair))
      pair.upstream.write(chunk)
    }
    return true
  }

  const server = createServer((client) => {
    if (state.cut === 'refused') return client.destroy()
    const pair = { client, upstream: dial(Number(to.port), to.hostname) }
    pairs.add(pair)
    for (const socket of [client, pair.upstream]) {
      socket.setNoDelay(true)
      socket.on('error', () => {})
      // While it is cut off, neither side learns that the other one is gone.
      socket.on('close', () => (state.cut === 'held' ? held.push(() => end(pair)) : (state.cut ?? end(pair))))
    }
    client.on('data', (chunk) => {
      if (!isLost(pair, chunk)) forward(pair.upstream, chunk)
    })
    pair.upstream.on('data', (chunk) => forward(client, chunk))
  })
  await new Promise<void>((resolve) => server.listen(0, '127.0.0.1', resolve))
  const url = new URL(database)
  url.port = String((server.address() as AddressInfo).port)
  const endAll = (): void => {
    for (const pair of [...pairs]) end(pair)
  }
  return {
    url: url.href,
    cut(how) {
      state.cut = how
      if (how === 'refused') endAll()
    },
    heal() {
      if (state.cut === 'lost') endAll()
      state.cut = undefined
      for (const send of held.splice(0)) send()
    },
    slow(ms) {
      state.delay = ms
    },
    loseCommit(isForwarded) {
      loss = { isForwarded }
    },
    get lostCommits() {
      return state.lostCommits
    },
    close() {
      server.close()
      endAll()
    },
  }
}
