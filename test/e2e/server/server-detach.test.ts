import { readFileSync, statSync } from 'node:fs'
import { createServer } from 'node:net'
import { Ajv2020 } from 'ajv/dist/2020.js'
import { afterEach, expect, test } from 'vitest'
import { newPlace, type Place, parley } from '../support/built-program.ts'

const places: Place[] = []
const place = (): Place => {
  const at = newPlace()
  places.push(at)
  return at
}
// A server in the background outlives the test that started it.
afterEach(async () => {
  for (const at of places.splice(0)) await parley('server stop', { at })
})

test('a server in the background is ready when the command returns, and its address, secrets and process are printed', async () => {
  const at = place()
  const { exitCode, stdout, stderr } = await parley('server start --detach --port 0 --seed 7', {
    at,
    env: { PARLEY_OUTPUT: 'json' },
  })
  expect({ exitCode, stderr }).toEqual({ exitCode: 0, stderr: '' })
  const { url, key, control_token, pid, log } = JSON.parse(stdout)
  const [{ output_schema: schema }] = JSON.parse((await parley('commands server start --json', { at })).stdout)
  const fits = new Ajv2020({ strict: false, validateFormats: false }).compile(schema)
  expect(fits(JSON.parse(stdout)), JSON.stringify(fits.errors)).toBe(true)
  const { status } = await fetch(`${url}/api/user/me`, { headers: { authorization: `Bearer ${key}` } })
  expect(status).toBe(200)
  const control = (token: string) => fetch(`${url}/control/status`, { headers: { 'parley-control': token } })
  expect((await control(control_token)).status).toBe(200)
  expect((await control('another')).status).not.toBe(200)
  expect(JSON.parse((await parley('server status --json', { at })).stdout)).toMatchObject({ running: true, url, pid })
  expect(statSync(log).mode & 0o777).toBe(0o600)
  expect(readFileSync(log, 'utf8')).toContain(`Listening on ${url}`)
  for (const secret of [key.split('|')[1], control_token]) expect(readFileSync(log, 'utf8')).not.toContain(secret)
  expect(await parley('server start --detach', { at })).toMatchObject({
    exitCode: 5,
    stderr: expect.stringContaining(`A server is already running for this data folder: ${url}`),
  })
  expect(await parley('server stop', { at })).toMatchObject({ exitCode: 0, stdout: `Stopped ${url}.\n` })
})

test('a server in the background that cannot start fails with its own message, and none is left', async () => {
  const at = place()
  const taken = createServer()
  await new Promise<void>((resolve) => taken.listen(0, '127.0.0.1', resolve))
  const { port } = taken.address() as { port: number }
  const failed = await parley(`server start --detach --port ${port}`, { at })
  taken.close()
  expect(failed).toMatchObject({ exitCode: 1, stdout: '' })
  expect(failed.stderr).toContain('The server ended with exit code 2 before it was ready.')
  expect(failed.stderr).toContain(String(port))
  expect(JSON.parse((await parley('server status --json', { at })).stdout)).toMatchObject({ running: false })
})

test.each([
  ['server start --wait 5', '--wait requires --detach.'],
  ['server start --detach --wait soon', 'Invalid --wait "soon".'],
  ['server start --detach --port x', 'Invalid --port "x".'],
])('%s is refused before anything starts', async (line, message) => {
  const at = place()
  expect(await parley(line, { at })).toMatchObject({
    exitCode: 2,
    stdout: '',
    stderr: expect.stringContaining(message),
  })
  expect(JSON.parse((await parley('server status --json', { at })).stdout)).toMatchObject({ running: false })
})
