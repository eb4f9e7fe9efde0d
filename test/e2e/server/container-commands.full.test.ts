import { execFile } from 'node:child_process'
import { promisify } from 'node:util'
import { describe, expect, test } from 'vitest'
import { composeServices, dockerfileInstructions, imageVariables, listOf } from '../../support/container-files.ts'
import { newPlace, start } from '../support/built-program.ts'

// The commands of the Dockerfile and of compose.yaml, run without containers.

const instruction = (name: string) => dockerfileInstructions().find((it) => it.name === name)
const listening = Object.entries(imageVariables()).filter(([name]) => /^PARLEY_L/.test(name))
const image: Readonly<Record<string, string>> = Object.fromEntries(listening)

describe('the command of the image', () => {
  test('serves, passes its health check, logs JSON, and drains on SIGTERM', async () => {
    const { PARLEY_DRAIN_DELAY: delay = '', PARLEY_DRAIN_LIMIT: limit = '' } =
      composeServices()['parley-1']?.environment ?? {}
    expect([Number(delay), Number(limit)]).toEqual([expect.any(Number), expect.any(Number)])
    const env = { ...image, PARLEY_LISTEN_PORT: '0', PARLEY_DRAIN_DELAY: '1', PARLEY_DRAIN_LIMIT: limit }
    const server = start(listOf(instruction('CMD')).join(' '), { at: newPlace(), env })
    const url = await server.until('Listening on ')
    const [program = '', ...rest] = listOf(instruction('HEALTHCHECK'))
    const check = rest.map((it) => it.replace(`http://127.0.0.1:${image.PARLEY_LISTEN_PORT}`, url))
    const execute = promisify(execFile)
    await execute(program, check)
    await expect(
      execute(
        program,
        rest.map((it) => it.replace(image.PARLEY_LISTEN_PORT ?? '', '1')),
      ),
    ).rejects.toThrow()

    server.kill('SIGTERM')
    await expect.poll(async () => (await fetch(`${url}/readyz`)).status, { interval: 20 }).toBe(503)
    const { exitCode, stderr } = await server.ended
    expect(exitCode).toBe(0)
    const lines = stderr
      .trim()
      .split('\n')
      .map((line) => JSON.parse(line))
    expect(lines.map((it) => it.message)).toEqual([
      expect.stringMatching(/^Listening on /),
      'Draining. No new jobs are started, and requests in progress are finished.',
      'Stopped.',
    ])
  })
})
