import { once } from 'node:events'
import { writeFileSync } from 'node:fs'
import { createServer } from 'node:http'
import type { AddressInfo } from 'node:net'
import { join } from 'node:path'
import { json as jsonOf } from 'node:stream/consumers'
import { execa } from 'execa'
import { expect, onTestFinished, test } from 'vitest'
import { hook, http } from '../support/flow-definitions.ts'
import { splitWords } from '../support/split-words.ts'
import { addProgram, filledPlace, parley } from './support/built-program.ts'
import { serve } from './support/server-process.ts'

/** Recipients of the campaign. Every second one has opted out before. */
const recipients = Array.from({ length: 60 }, (_, n) => `+1415555${1000 + n}`)
const optedOut = recipients.filter((_, n) => n % 2 === 1)

/** A service that automations call. It answers at one path, which may change, and records the bodies. */
async function service() {
  const called = { url: '', path: '/old', received: [] as unknown[] }
  const server = createServer(async (request, response) => {
    const isFound = request.url === called.path
    if (isFound) called.received.push(await jsonOf(request))
    response.writeHead(isFound ? 200 : 404).end('{}')
  }).listen(0, '127.0.0.1')
  await once(server, 'listening')
  onTestFinished(() => {
    server.closeAllConnections()
    server.close()
  })
  called.url = `http://127.0.0.1:${(server.address() as AddressInfo).port}`
  return called
}

const notifying = (url: string): string =>
  JSON.stringify({
    trigger: hook,
    steps: [http('POST', url, { body_type: 'json', body: { name: "{{trigger['body']['name']}}" } })],
  })

test('on a Friday at 17:00 a script stops everything, corrects it, continues, and the ledger is exact', async () => {
  const at = await filledPlace(7)
  await serve(at)
  const called = await service()
  const run = async (line: string): Promise<string> => {
    const { exitCode, stdout, stderr } = await parley(splitWords(line), { at })
    expect(exitCode, `${line}\n${stderr}`).toBe(0)
    return stdout.trim()
  }
  const json = async (line: string) => JSON.parse(await run(`${line} --json`))
  const write = (name: string, text: string): void => writeFileSync(join(at.dir, name), text)

  await run('server clock freeze --at 2026-12-04T17:00:00Z')
  write('notify.json', notifying(`${called.url}/old`))
  write('correct.json', notifying(`${called.url}/new`))
  const sample = `--sample '{"body":{"name":"Test"}}'`
  const { webhook_url: webhook } = await json(
    `automate create --name Notify --flow @notify.json ${sample} --confirm-side-effects --yes`,
  )
  write('out.csv', ['phone_number,channel', ...optedOut.map((it) => `${it},sms`)].join('\n'))
  write('leads.csv', ['phone_number', ...recipients].join('\n'))
  await run('contacts import --file out.csv --yes')
  await run(
    'campaigns create --name "Spring sale" --channel sms --from "Front desk" --sms-body "90 % off" --timezone UTC',
  )
  await run('leads import --campaign "Spring sale" --file leads.csv --yes')
  const ledger = (): Promise<{ id: number; amount: number; reason: string }[]> => json('server accounts ledger 1 --all')
  const before = new Set((await ledger()).map((it) => it.id))

  // The campaign contacts its first leads, one of whom asks not to be contacted again. The service has moved.
  await run('campaigns start "Spring sale" --yes')
  await run('server clock advance 1m')
  const leads: { phone_number: string }[] = await json('leads list --campaign "Spring sale" --status completed --all')
  const reached = leads.map((it) => it.phone_number)
  expect(reached.length).toBeGreaterThan(5)
  expect(reached.filter((it) => optedOut.includes(it))).toEqual([])
  await run(`contacts block ${reached[0]} --channel all --reason "Asked by phone"`)
  Object.assign(called, { path: '/new', received: [] })
  const headers = { 'content-type': 'application/json' }
  expect((await fetch(webhook, { method: 'POST', headers, body: '{"name":"Ada"}' })).status).toBe(200)
  const failed = (): Promise<unknown[]> => json('automate runs list --status FAILED --live --since 1h')
  await expect.poll(async () => (await failed()).length, { timeout: 30_000 }).toBe(1)

  const bin = join(at.dir, 'bin')
  addProgram(bin)
  const { exitCode, stderr } = await execa('sh', [join(import.meta.dirname, 'friday.sh')], {
    cwd: at.dir,
    env: { ...at.env, PATH: `${bin}:${at.env.PATH}` },
    extendEnv: false,
    reject: false,
    stdin: 'ignore',
  })
  expect(exitCode, stderr).toBe(0)

  // Only recipients that have not opted out were written to, once by each message.
  const paid = (await ledger()).filter((it) => !before.has(it.id) && it.amount < 0).map((it) => it.reason)
  const informed = reached.slice(1)
  expect(paid.toSorted()).toEqual([...reached, ...informed].map((it) => `SMS to ${it}`).toSorted())
  // The test of the corrected definition, then the run that had failed.
  expect(called.received).toEqual([{ name: 'Test' }, { name: 'Ada' }])
  expect((await json('campaigns get "Spring sale"')).status).toBe('paused')
  expect(await json('ops list --open')).toEqual([])
}, 120_000)
