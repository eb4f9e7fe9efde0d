import { once } from 'node:events'
import { createServer, get } from 'node:http'
import type { AddressInfo } from 'node:net'
import { expect, onTestFinished, test } from 'vitest'
import { watchRequestArrivals } from '../../../../src/platform/store/sqlite/open-sqlite.ts'

test('each request is announced with its socket before it is handled, until the watch ends', async () => {
  const seen: unknown[] = []
  const server = createServer((request, response) => {
    seen.push(['handled', request.socket])
    response.end()
  }).listen(0)
  onTestFinished(() => void server.close())
  await once(server, 'listening')
  const ask = async (): Promise<void> => {
    const [response] = await once(get({ port: (server.address() as AddressInfo).port, agent: false }), 'response')
    await once(response.resume(), 'end')
  }
  const end = watchRequestArrivals((socket) => seen.push(['arrived', socket]))
  await ask()
  const [arrived, handled] = seen as [[string, object], [string, object]]
  expect([arrived[0], handled[0], arrived[1] === handled[1]]).toEqual(['arrived', 'handled', true])
  end()
  await ask()
  expect(seen.map((it) => (it as [string])[0])).toEqual(['arrived', 'handled', 'handled'])
})
