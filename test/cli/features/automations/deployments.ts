import { writeFileSync } from 'node:fs'
import { join } from 'node:path'
import type { PlainRequest, PlainResponse } from '../../../../src/contract/endpoint/http-message.ts'
import { code, hook, respond } from '../../../support/flow-definitions.ts'
import {
  type Handle,
  type Operator,
  type OperatorOptions,
  operator,
  type RunOptions,
} from '../../../support/operator.ts'

type Through = NonNullable<RunOptions['through']>

const extensions = new Set(['parley-publish', 'parley-if-version', 'parley-details', 'parley-recall'])

/** A deployment that offers nothing beyond the specification: it publishes before it tests, and lists no versions. `around` wraps its connection. */
export function plain(around: Through = (handle, request) => handle(request)): { readonly through: Through } {
  const inner =
    (handle: Handle): Handle =>
    async (request) => {
      if (/\/flows\/[^/]+\/versions/.test(request.url))
        return {
          status: 404,
          headers: { 'content-type': 'application/json' },
          body: JSON.stringify({ message: 'Not Found' }),
        }
      const headers = Object.fromEntries(Object.entries(request.headers).filter(([name]) => !extensions.has(name)))
      const answer = await handle({ ...request, headers })
      return {
        ...answer,
        headers: Object.fromEntries(Object.entries(answer.headers).filter(([name]) => !name.startsWith('parley-'))),
      }
    }
  return { through: (handle, request) => around(inner(handle), request) }
}

export const isUpdate = ({ method, url }: PlainRequest): boolean => method === 'PUT' && /\/flows\/\w+$/.test(url)
export const isRestore = ({ method, url }: PlainRequest): boolean => method === 'POST' && /\/restore$/.test(url)

/** What a connection that breaks off leaves of an answer. */
export const lostAnswer = async (): Promise<never> => {
  const { TransportError } = await import('../../../../src/client/transport/transport.ts')
  throw new TransportError('reset', 'gone', true)
}

export const answered = (status: number, body: object): PlainResponse => ({
  status,
  headers: { 'content-type': 'application/json' },
  body: JSON.stringify(body),
})

/** Greets by name, and fails for anybody without one. */
export const greet = (words: string) => ({
  trigger: hook,
  steps: [
    code('inputs.name ? { hello: inputs.name } : inputs.nobody.name', { name: "{{trigger['body']['name']}}" }),
    respond({ text: `${words} {{step_1['hello']}}` }),
  ],
})
/** Fails here as well as on the platform. */
export const broken = {
  trigger: hook,
  steps: [code('inputs.name.first.last', { name: "{{trigger['body']['name']}}" }), respond({ text: 'never' })],
}

/** An operator whose automation "Greeting" is enabled, made of `greet('Hello')`; with the files given. */
export async function greeting(
  files: Readonly<Record<string, unknown>> = {},
  options: OperatorOptions = {},
): Promise<Operator & { readonly id: string }> {
  const by = operator(options)
  for (const [name, file] of Object.entries({
    'hello.json': greet('Hello'),
    'bye.json': greet('Bye'),
    'broken.json': broken,
    ...files,
  }))
    writeFileSync(join(by.cwd, name), typeof file === 'string' ? file : JSON.stringify(file))
  const { automation_id: id } = await by.json(
    'automate create --name Greeting --file hello.json --sample \'{"name": "Ada"}\'',
  )
  return { ...by, id }
}

/** What runs of an automation: its state and the words it answers with. */
export async function running({
  json,
  id,
}: Operator & { readonly id: string }): Promise<readonly [status: string, words: string]> {
  const { status, definition } = await json(`automate get ${id}`)
  return [status, /"text":"(\w+)/.exec(JSON.stringify(definition))?.[1] ?? '']
}
