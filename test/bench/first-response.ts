import { bareServer } from './bare-server.ts'
import { type Figure, limit, median, quantile, ratio } from './measurements.ts'
import { freePort, keyOf, makeHome, program, startServer, timed } from './processes.ts'

const section = 'spawn'

/**
 * Measures the time from process start to the first response, and memory soon after, against a bare node:http server in
 * turns.
 */
export async function spawned(rounds: number): Promise<readonly Figure[]> {
  const home = makeHome()
  try {
    await timed([program, 'keys', 'list'], home.env)
    const headers = { authorization: `Bearer ${keyOf(home)}` }
    const answer = { status: 200, headers: { 'content-type': 'application/json' }, body: '{"api_keys":[]}' }
    const start = async (args: (port: number) => readonly string[]) => {
      const port = await freePort()
      const env = { ...home.env, BARE: JSON.stringify({ ...answer, port }) }
      const server = await startServer(args(port), {
        env,
        folder: home.folder,
        port,
        path: '/api/user/api-keys',
        headers,
      })
      try {
        await new Promise((resolve) => setTimeout(resolve, 300))
        return { firstMs: server.firstMs, rssMb: (await server.usage()).rssMb }
      } finally {
        await server.stop()
      }
    }
    const ours = (port: number) => [program, 'server', 'start', '--port', String(port)]
    const bare = () => ['-e', bareServer]
    await start(ours)
    const pairs = []
    for (let round = 0; round < rounds; round++) pairs.push({ ours: await start(ours), bare: await start(bare) })
    const over = pairs.map((it) => it.ours.rssMb - it.bare.rssMb)
    return [
      {
        section,
        what: 'server start to its first answer / bare node:http',
        ...ratio(
          pairs.map((it) => it.ours.firstMs),
          pairs.map((it) => it.bare.firstMs),
        ),
        budget: limit(1.5),
      },
      {
        section,
        what: 'idle memory over bare node:http',
        value: median(over),
        unit: 'MB',
        spread: [quantile(over, 0.25), quantile(over, 0.75)],
        budget: limit(25),
      },
    ]
  } finally {
    home.remove()
  }
}
