import { afterAll, beforeAll, expect } from 'vitest'
import { type Receiver, receiver } from '../../support/servers/http-receiver.ts'
import { type ModelServer, modelServer } from '../../support/servers/model-server.ts'
import { filledPlace, type Place, parley } from './built-program.ts'
import { serve } from './server-process.ts'

/** A language model and the receiver of a tool, for the tests of one file, and servers that use both. */
export interface ModelHosts {
  readonly model: ModelServer
  readonly outside: Receiver
  /** Starts a server whose assistant 2 has a tool that asks the receiver. The key of the model is only in its environment. */
  served(): Promise<{ place: Place; server: Awaited<ReturnType<typeof serve>> }>
}

/** Starts both hosts before the tests of the block that calls it, and stops them after. */
export function modelHosts(): ModelHosts {
  let model: ModelServer
  let outside: Receiver
  beforeAll(async () => {
    ;[model, outside] = await Promise.all([modelServer(), receiver()])
  })
  afterAll(() => Promise.all([model.close(), outside.close()]))
  return {
    get model() {
      return model
    },
    get outside() {
      return outside
    },
    served: () => serveAssistantWithTool(model, outside),
  }
}

async function serveAssistantWithTool(model: ModelServer, outside: Receiver) {
  const place: Place = await filledPlace()
  const env = { PARLEY_MODEL_KEY: 'sk-secret-of-the-model', PARLEY_PRIVATE_ADDRESSES: '1' }
  const server = await serve(place, { flags: `--model-url ${model.url} --model small`, env })
  const schema = JSON.stringify([{ name: 'order', type: 'string', description: 'Number of the order', required: true }])
  const tool = [
    'tools',
    'create',
    '--name',
    'order_state',
    '--description',
    'Look an order up',
    '--endpoint',
    `${outside.url}/orders/{order}`,
    '--method',
    'GET',
    '--schema',
    schema,
    '-o',
    'id',
  ]
  const { stdout: id } = await parley(tool, { at: place })
  expect((await parley(`assistants update 2 --tool-ids [${id.trim()}] --yes`, { at: place })).exitCode).toBe(0)
  return { place, server }
}

/** Returns the messages of a conversation. */
export const historyOf = async (place: Place, id: string) =>
  JSON.parse((await parley(`conversations get ${id} --json`, { at: place })).stdout).history
