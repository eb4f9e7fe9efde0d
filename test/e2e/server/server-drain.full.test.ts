import { expect, test } from 'vitest'
import { newPlace, parley } from '../support/built-program.ts'
import { serve } from '../support/server-process.ts'

test('a server whose work does not end exits with code 0 at the limit', async () => {
  const { at, process, fetch: ask } = await serve(newPlace(), { flags: '--drain-limit 2 --log json' })
  expect(await parley('server faults create tools.list --latency-ms 600000', { at })).toMatchObject({ exitCode: 0 })
  const aborted = ask('GET', 'tools').catch((error: Error) => error)
  const { url } = JSON.parse((await parley('server status --json', { at })).stdout) as { url: string }
  await expect
    .poll(async () => (await fetch(`${url}/metrics`)).text(), { interval: 20 })
    .toContain('parley_http_requests_in_flight 2')
  process.kill('SIGTERM')
  expect(await process.ended).toMatchObject({ exitCode: 0 })
  expect(await aborted).toBeInstanceOf(Error)
})

test('a server that another command drains exits with code 0', async () => {
  const { at, url, process } = await serve(newPlace())
  const [node] = JSON.parse((await parley('server nodes --json', { at })).stdout) as { id: string; pid: number }[]
  expect(node?.pid).toBe(process.pid)
  expect(await parley(`server drain ${url}`, { at })).toMatchObject({ exitCode: 0 })
  expect(await process.ended).toMatchObject({ exitCode: 0 })
  expect(JSON.parse((await parley('server nodes --json', { at })).stdout)).toEqual([])
})
