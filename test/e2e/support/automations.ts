import { writeFileSync } from 'node:fs'
import { createServer } from 'node:http'
import type { AddressInfo } from 'node:net'
import { join } from 'node:path'
import { onTestFinished } from 'vitest'
import { code, hook, respond } from '../../support/flow-definitions.ts'
import { type Place, parley } from './built-program.ts'

/** A server that records its requests. For the length of a test. */
export async function receiver(): Promise<{ readonly url: string; readonly shown: unknown[] }> {
  const shown: unknown[] = []
  const server = createServer((request, response) => {
    let text = ''
    request.on('data', (chunk: Buffer) => {
      text += String(chunk)
    })
    request.on('end', () => {
      shown.push(JSON.parse(text))
      response.end()
    })
  })
  await new Promise<void>((done) => server.listen(0, '127.0.0.1', done))
  onTestFinished(() => {
    server.closeAllConnections()
    server.close()
  })
  return { url: `http://127.0.0.1:${(server.address() as AddressInfo).port}/`, shown }
}

/** Writes a definition to a file of the operator. Returns its name. */
export function file(at: Place, name: string, flow: object): string {
  writeFileSync(join(at.dir, name), JSON.stringify(flow))
  return name
}

/** Runs a command with --json. Returns its output. */
export async function json(args: string, at: Place) {
  const { stdout, stderr } = await parley(`${args} --json`, { at })
  try {
    return JSON.parse(stdout)
  } catch {
    throw new Error(`${args}: ${stderr}`)
  }
}

/** A definition that answers with a text and the name it was given. */
export const answering = (text: string): object => ({
  trigger: hook,
  steps: [code('1'), respond({ text, for: "{{trigger['body']['name']}}" })],
})
