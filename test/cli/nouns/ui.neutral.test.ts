import { existsSync, readFileSync } from 'node:fs'
import { join } from 'node:path'
import { describe, expect, test } from 'vitest'
import { openBrowser, resourcePage } from '../../../src/cli/nouns/ui/commands.ts'
import { type Operator, operator } from '../../support/operator.ts'

const env = { PARLEY_LISTEN_PORT: '0' }
const link = /^http:\/\/127\.0\.0\.1:\d+\/_parley\/login\?code=[\w-]{43}&next=%2F_parley%2F\w*(%2F\w+)?$/m

/** Runs a command until its server listens, and interrupts it then. */
async function untilListening(by: Operator, line: string, during: (url: string) => Promise<unknown> = async () => {}) {
  const interrupt = new AbortController()
  const ended = by.run(line, { env, interrupt })
  const file = join(by.dataDir, 'server.json')
  await expect.poll(() => existsSync(file)).toBe(true)
  const { url } = JSON.parse(readFileSync(file, 'utf8'))
  await during(url)
  interrupt.abort(130)
  const ran = await ended
  expect(existsSync(file)).toBe(false)
  return ran
}

describe('parley ui', () => {
  test('starts a server for the folder, prints a link, and stops it on Ctrl-C', async () => {
    const ran = await untilListening(operator(), 'ui --no-open')
    expect(ran).toMatchObject({ exitCode: 0, stdout: expect.stringMatching(link) })
    expect(ran.stderr).toContain('The link signs in once and expires after 5 minutes.')
    expect(ran.stderr).toContain('The server runs until Ctrl-C.')
  })

  test('uses the server that runs, and leaves it running', async () => {
    const by = operator()
    const ran = await untilListening(by, 'server start', async (url) => {
      const { exitCode, stdout } = await by.run('ui')
      expect({ exitCode, stdout }).toEqual({ exitCode: 0, stdout: expect.stringMatching(link) })
      expect(stdout.startsWith(`${url}/_parley/login`)).toBe(true)
      const { status, headers } = await fetch(stdout.trim(), { redirect: 'manual' })
      expect({ status, location: headers.get('location') }).toEqual({ status: 303, location: '/_parley/' })
      const { page, url: address } = JSON.parse((await by.run('open calls 7 --json')).stdout)
      expect(page).toBe(`${url}/_parley/calls/7`)
      expect(address).toMatch(link)
      expect((await fetch(address, { redirect: 'manual' })).headers.get('location')).toBe('/_parley/calls/7')
    })
    expect(ran.stderr).toContain('/_parley/ (to open it: parley ui)')
  })

  test('commands note the page of the inspector on a terminal while a server runs', async () => {
    const by = operator()
    await untilListening(by, 'server start', async (url) => {
      const noted = async (line: string): Promise<string | undefined> =>
        /^Inspector: (.*)$/m.exec((await by.run(line, { terminal: true })).stderr)?.[1]
      expect(await noted('calls get 2')).toBe(`${url}/_parley/calls/2`)
      expect(await noted('automate runs get last')).toBe(`${url}/_parley/automations/runs`)
      expect(await noted('server deliveries list')).toBe(`${url}/_parley/deliveries`)
      expect(await noted('calls list --json')).toBeUndefined()
      expect(await noted('tools list')).toBeUndefined()
      expect((await by.run('calls list')).stderr).not.toContain('Inspector')
    })
    expect((await by.run('calls list', { terminal: true })).stderr).not.toContain('Inspector')
  })

  test('serves the inspector of a remote platform from this machine', async () => {
    const by = operator()
    const interrupt = new AbortController()
    interrupt.abort(130)
    const { exitCode, stdout, stderr, requests } = await by.run('ui --base-url https://assistants.example', {
      interrupt,
    })
    expect({ exitCode, stdout, requests }).toEqual({ exitCode: 0, stdout: expect.stringMatching(link), requests: [] })
    expect(stderr).toContain('The inspector runs until Ctrl-C.')
  })

  test('explains a server without an inspector', async () => {
    const by = operator({ fresh: true })
    await untilListening(by, 'server start --host 0.0.0.0', async () => {
      expect(await by.run('ui')).toMatchObject({
        exitCode: 5,
        stderr: expect.stringContaining('Start a server on a loopback address, or with --ui-public'),
      })
    })
    const open = await untilListening(by, 'server start --host 0.0.0.0 --ui-public', async () => {
      expect(await by.run('ui')).toMatchObject({ exitCode: 0, stdout: expect.stringMatching(link) })
    })
    expect(open.stderr).toContain('--ui-public: anyone with a link to the inspector can read and change everything')
  })
})

describe('parley open', () => {
  test.each([
    ['overview', '/_parley/overview'],
    ['calls 7', '/_parley/calls/7'],
    ['call 7', '/_parley/calls/7'],
    ['automate 0b6b1c52-5b5a-4a0e-9a34-2f6a3c1d7e90', '/_parley/automations/0b6b1c52-5b5a-4a0e-9a34-2f6a3c1d7e90'],
    ['campaigns', '/_parley/messaging'],
    ['deliveries 3', '/_parley/deliveries/3'],
  ])('%s is %s', (words, path) => {
    expect(resourcePage(words)).toBe(path)
  })

  test.each([
    ['open', 'Missing'],
    ['open call5', 'The inspector has no page for "call5". Did you mean "calls"?'],
    ['open calls ../session', 'Invalid id "../session".'],
    ['open calls 7 8', 'Invalid id "7 8".'],
    ['open clock 7', 'The page clock has no resources.'],
  ])('refuses %s', async (line, message) => {
    expect(await operator().run(line)).toMatchObject({ exitCode: 2, stderr: expect.stringContaining(message) })
  })
})

test.each<[string, Record<string, string>, string | undefined]>([
  ['linux', {}, undefined],
  ['linux', { DISPLAY: ':0' }, 'xdg-open http://localhost/?a=1&b=2'],
  ['linux', { WAYLAND_DISPLAY: 'wayland-0' }, 'xdg-open http://localhost/?a=1&b=2'],
  ['linux', { DISPLAY: ':0', BROWSER: 'none' }, undefined],
  ['darwin', {}, 'open http://localhost/?a=1&b=2'],
  ['win32', {}, 'rundll32 url.dll,FileProtocolHandler http://localhost/?a=1&b=2'],
])('on %s with %j the browser is opened with %s', async (os, env, expected) => {
  const ran: string[] = []
  const run = async (program: string, args: readonly string[]) => {
    ran.push([program, ...args].join(' '))
    return { exitCode: 0, stdout: '', stderr: '' }
  }
  expect(await openBrowser({ os, env, run }, 'http://localhost/?a=1&b=2')).toBe(expected !== undefined)
  expect(ran).toEqual(expected === undefined ? [] : [expected])
})
