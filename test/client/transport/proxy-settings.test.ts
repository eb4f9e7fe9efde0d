import { describe, expect, test } from 'vitest'
import { createClient } from '../../../src/client/create-client.ts'
import { remoteTransport } from '../../../src/client/transport/remote-transport.ts'
import { numbers } from '../../../src/contract/resources/numbers.ts'
import { answer, failureOf, playing } from '../../support/scripted-client.ts'
import { json, startHost, startProxy, startTlsHost } from '../../support/servers/http-hosts.ts'

describe('a proxy that cannot be used', () => {
  test.each([
    'socks5://127.0.0.1:1080',
    'socks5h://me:hunter2@proxy.test',
    'socks4://proxy.test:1080',
    'ftp://proxy.test',
  ])('is refused before anything is sent, without its password: %s', (proxy) => {
    expect(() => remoteTransport('https://platform.test', { env: { HTTPS_PROXY: proxy } })).toThrow(
      expect.objectContaining({
        exit: 'usage',
        code: 'proxy_unsupported',
        message: expect.stringMatching(/^HTTPS_PROXY is a (socks\w*|ftp) proxy/),
      }),
    )
    expect(() => remoteTransport('https://platform.test', { env: { HTTPS_PROXY: proxy } })).toThrow(
      expect.objectContaining({ message: expect.not.stringContaining('hunter2') }),
    )
  })

  test('is refused if it is not a URL, and ignored if NO_PROXY exempts the host', () => {
    expect(() => remoteTransport('https://platform.test', { env: { HTTPS_PROXY: 'http://[' } })).toThrow(
      expect.objectContaining({
        exit: 'usage',
        code: 'proxy_invalid',
        message: 'HTTPS_PROXY is not a valid proxy URL.',
      }),
    )
    remoteTransport('https://platform.test', { env: { HTTPS_PROXY: 'socks5://proxy.test', NO_PROXY: 'platform.test' } })
    remoteTransport('http://127.0.0.1:1', { env: { HTTP_PROXY: 'socks5://proxy.test' } })
  })
})

describe('a purchase through a proxy that refuses', () => {
  test.each([407, 403])('is attempted once, and the proxy is named: %i', async (status) => {
    const host = await startTlsHost(json({}))
    const proxy = await startProxy(host.port, status)
    const call = createClient({
      transport: remoteTransport('https://platform.test', { env: { HTTPS_PROXY: proxy.url }, ca: host.ca }),
      key: '1|abcdefghijklmnopqrstuvwxyz',
      sleep: async () => {},
      random: Math.random,
      now: Date.now,
    })
    const failure = await failureOf(call(numbers.buy, { phone_number: '+15005550006' }))
    expect(failure).toMatchObject({ exit: 'connection', message: expect.stringContaining(`127.0.0.1:${proxy.port}`) })
    expect(String(failure.message)).toContain(String(status))
    expect([host.seen, proxy.seen.length]).toEqual([[], 1])
  })

  test('over plain http is not mistaken for a response of the platform', async () => {
    const host = await startHost(
      json({ message: 'proxy authentication required' }, 407, { 'proxy-authenticate': 'Basic' }),
    )
    const call = createClient({
      transport: remoteTransport('http://platform.test', { env: { HTTP_PROXY: host.url }, insecure: true }),
      key: '1|abcdefghijklmnopqrstuvwxyz',
      sleep: async () => {},
      random: Math.random,
      now: Date.now,
    })
    expect(await failureOf(call(numbers.buy, { phone_number: '+15005550006' }))).toMatchObject({ exit: 'connection' })
    expect(host.seen).toHaveLength(1)
  })
})

test('a redirect of a purchase is reported with its target and not followed', async () => {
  for (const status of [301, 302, 303, 307, 308]) {
    const { call, requests } = playing([
      answer(status, '<html>moved</html>', {
        location: 'https://me:secret@elsewhere.test/api/user/phone-numbers/purchase?token=secret',
      }),
    ])
    expect(await failureOf(call(numbers.buy, { phone_number: '+15005550006' }))).toMatchObject({
      exit: 'unknown',
      message: expect.stringContaining(
        `returned ${status}, a redirect to https://elsewhere.test/api/user/phone-numbers/purchase`,
      ),
    })
    expect(requests).toHaveLength(1)
  }
})
