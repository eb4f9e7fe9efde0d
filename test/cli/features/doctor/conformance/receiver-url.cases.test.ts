import { once } from 'node:events'
import { createServer } from 'node:http'
import type { AddressInfo } from 'node:net'
import { describe, expect, test } from 'vitest'
import type { ConformanceResult } from '../../../../../src/cli/features/doctor/conformance/conformance-report.ts'
import { longOnly } from '../../../../support/case-count.ts'
import { afterFile } from '../../../../support/cleanup.ts'
import { operator, type Run } from '../../../../support/operator.ts'

interface ReceivedRequest {
  readonly method: string
  readonly path: string
  readonly body: string
  readonly userAgent: string
}

/** Starts an address that answers each request itself with a status. Returns its URL and what it received. */
async function startAddress(
  status: number,
): Promise<{ url: string; requests: ReceivedRequest[]; close(): Promise<void> }> {
  const requests: ReceivedRequest[] = []
  const server = createServer(async (incoming, response) => {
    const chunks: Buffer[] = []
    for await (const chunk of incoming) chunks.push(chunk as Buffer)
    const { method = '', url: path = '', headers } = incoming
    const body = Buffer.concat(chunks).toString()
    requests.push({ method, path, body, userAgent: headers['user-agent'] ?? '' })
    response.writeHead(status).end('Welcome')
  }).listen(0, '127.0.0.1')
  await once(server, 'listening')
  const close = async () => {
    server.closeAllConnections()
    server.close()
  }
  afterFile(close)
  return { url: `http://127.0.0.1:${(server.address() as AddressInfo).port}/hooks`, requests, close }
}

/** Returns the rows about deliveries after a webhook was enabled, which the check always causes. */
const deliveriesIn = ({ stdout }: Run): ConformanceResult | undefined =>
  (JSON.parse(stdout) as readonly ConformanceResult[]).find(
    (it) => it.case === 'deliveries' && it.endpoint === 'assistants.enableConversationEndedWebhook',
  )

const conformance = (url: string): string => `doctor --conformance --json --receiver-url ${url}`

describe('the URL of the receiver of webhooks', () => {
  test.each([200, ...longOnly(502)])(
    'is asked once before anything is delivered; if something else answers with %i, deliveries are not checked',
    async (status) => {
      const by = operator({ reachesLoopback: true })
      const { url, requests } = await startAddress(status)
      const run = await by.run(conformance(url))
      expect(deliveriesIn(run)).toMatchObject({
        status: 'not_checked',
        note: expect.stringMatching(
          new RegExp(`^${url} does not forward to port \\d+ of this machine: it returns ${status}\\.$`),
        ),
      })
      expect(run.exitCode, run.stderr).toBe(0)
      const [first] = requests
      expect(first).toMatchObject({ method: 'POST', body: '{}', userAgent: expect.stringMatching(/^parley\//) })
      expect(first?.path).toMatch(/^\/hooks\/[0-9a-f-]{36}\/probe$/)
      expect(requests.filter((it) => it.path.endsWith('/probe'))).toHaveLength(1)
    },
  )

  test('that this machine cannot reach is left to the platform, whose error is the reason', async () => {
    const by = operator({ reachesLoopback: true })
    const { url, close } = await startAddress(200)
    await close()
    const run = await by.run(conformance(url))
    expect(deliveriesIn(run)).toMatchObject({
      status: 'not_checked',
      note: expect.stringContaining(`The platform could not deliver to ${new URL(url).origin}: `),
    })
  })

  test.each([
    ['--conformance --receiver-url hooks.example', 'Invalid --receiver-url "hooks.example".'],
    ['--conformance --receiver-url https://hooks.example/?a=1', 'Invalid --receiver-url "https://hooks.example/?a=1".'],
    ['--conformance --receiver-port 70000', 'Invalid --receiver-port "70000".'],
    ['--receiver-url https://hooks.example', '--receiver-url and --receiver-port require --conformance.'],
  ])('is refused before anything is sent: %s', async (flags, message) => {
    const run = await operator().run(`doctor ${flags}`)
    expect(run).toMatchObject({ exitCode: 2, stderr: expect.stringContaining(message), requests: [] })
  })
})
