import { expect, onTestFinished, test } from 'vitest'
import { type StartOptions, startPlatform, type TestPlatform } from '../../src/platform.ts'

async function started(options?: StartOptions): Promise<TestPlatform> {
  const platform = await startPlatform(options)
  onTestFinished(() => platform.close())
  return platform
}

const untyped = startPlatform as (options: unknown) => Promise<TestPlatform>

test.each<readonly [given: unknown, message: string]>([
  [null, 'The options of startPlatform must be an object, not null.'],
  [4010, 'The options of startPlatform must be an object, not 4010.'],
  ['sample-data.yaml', 'The options of startPlatform must be an object, not "sample-data.yaml".'],
  [[], 'The options of startPlatform must be an object, not [].'],
  [{ vocabulary: {} }, 'must be "public", or an object { paths, keys, values, prefixes }, not {}.'],
  [{ data: 5 }, 'must be an object { version, accounts } or the path of a YAML or JSON file, not 5.'],
  [{ data: [] }, 'must be an object { version, accounts } or the path of a YAML or JSON file, not [].'],
  [{ publicUrl: 'parley.test' }, 'must be an http or https URL, not "parley.test".'],
  [{ publicUrl: 'http://parley.test/?a=1' }, 'must be an http or https URL, not "http://parley.test/?a=1".'],
  [{ clock: 'soon' }, 'The option "clock" of startPlatform must be a time such as "2027-03-01T09:00:00Z", not "soon".'],
  [{ language: { script: '/nowhere.yaml' } }, 'Model script /nowhere.yaml: file not found.'],
])('startPlatform(%j) is refused', async (given, message) => {
  await expect(untyped(given)).rejects.toThrow(message)
})

test('requests with the wrong types are refused with what they take', async () => {
  const platform = await started({ seed: 7 })
  const { fetch, control, clock, faults } = platform as unknown as Record<
    'fetch' | 'control',
    (...given: unknown[]) => Promise<unknown>
  > &
    Record<'clock' | 'faults', Record<string, (given?: unknown) => Promise<unknown>>>
  await expect(fetch(5)).rejects.toThrow('fetch takes a path such as "/api/user/me" or a URL of this platform, not 5.')
  await expect(fetch()).rejects.toThrow('or a URL of this platform, not undefined.')
  for (const path of [undefined, 5, '/clock', 'control/clock'])
    await expect(control('GET', path)).rejects.toThrow('control takes a method and a path such as "clock/advance"')
  await expect(control('FLY', 'clock')).rejects.toMatchObject({ status: 405 })
  await expect(control('POST', 'clock/advance', '1h')).rejects.toMatchObject({ status: 422 })
  await expect(clock.advance?.(5)).rejects.toMatchObject({ status: 422, errors: { by: [expect.any(String)] } })
  await expect(clock.until?.()).rejects.toMatchObject({ status: 422 })
  await expect(clock.until?.('coffee')).rejects.toThrow('No job of the kind "coffee" is scheduled. Scheduled kinds: ')
  await expect(faults.add?.({ endpoint: 'tools.lst', status: 500 })).rejects.toThrow(
    'Unknown endpoint "tools.lst". Possible values: tools.list, tools.get',
  )
  await expect(faults.add?.({ endpoint: 'tol.list', status: 500 })).rejects.toThrow('Possible values: *, user.*')
  await expect(faults.add?.({ endpoint: 'tools.list', error: 'no' })).rejects.toThrow(
    'Unknown error "no". Possible values: tools.not_found. For all errors, see parley help errors.',
  )
  await expect(faults.add?.(null)).rejects.toMatchObject({ status: 422 })
  expect((await platform.fetch('/api/user/me')).status).toBe(200)
})

test('resets during a request run one after the other, and the request is answered from the data it finds', async () => {
  const platform = await started({ seed: 7 })
  await platform.faults.add({ endpoint: 'keys.*', latency_ms: 200 })
  const slow = [platform.client.keys.create({ name: 'late' }), platform.client.keys.list({})] as const
  await Promise.all([platform.reset(), platform.reset()])
  const [made, listed] = await Promise.all(slow)
  expect([made.api_key.name, listed.api_keys.map((it) => it.name)]).toEqual([
    'late',
    expect.arrayContaining(['local', 'ci', 'dashboard']),
  ])
  expect(await platform.faults.list()).toEqual([])
  expect(await platform.control('GET', 'check')).toMatchObject({ problems: [], balances: { wrong: [] } })
  await platform.reset()
  expect((await platform.client.keys.list({})).api_keys.map((it) => it.name)).toEqual(['local', 'ci', 'dashboard'])
})

test('a platform that is closed during a reset ends, and everything after it says so', async () => {
  const platform = await startPlatform({ seed: 7 })
  const [reset, close] = await Promise.allSettled([platform.reset(), platform.close()])
  expect([reset.status, close.status]).toEqual(['rejected', 'fulfilled'])
  const closed = 'The platform is closed.'
  await expect(platform.reset()).rejects.toThrow(closed)
  await expect(platform.fetch('/api/user/me')).rejects.toThrow(closed)
  await expect(platform.control('GET', 'clock')).rejects.toThrow(closed)
  await expect(platform.clock.now()).rejects.toThrow(closed)
  await expect(platform.faults.list()).rejects.toThrow(closed)
  expect(() => platform.client).toThrow(closed)
  await platform.close()
})
