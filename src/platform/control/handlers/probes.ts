import type { PlainResponse } from '../../../contract/mechanics/http-message.ts'
import type { OpenApiExamples } from '../../../contract/openapi/examples.ts'
import type { Vocabulary } from '../../../contract/vocabulary/vocabulary.ts'
import { parseJson, stringifyJson } from '../../../node/json.ts'
import { realTime } from '../../../node/real-time.ts'
import type { Connection } from '../../store/database/connection.ts'
import { findProblem } from '../../store/database/meta.ts'
import { publicMessages } from '../../store/database/store-error.ts'
import type { ServerState } from './server-state.ts'

const json = (body: unknown, status = 200): PlainResponse => ({ status, headers: {}, body: stringifyJson(body) })

/** Milliseconds after which a database without an answer counts as busy. */
const answerTimeoutMs = 5000

async function within<T>(ms: number, work: Promise<T>): Promise<T | 'busy'> {
  let timer: NodeJS.Timeout | undefined
  const late = new Promise<'busy'>((resolve) => {
    timer = realTime.setTimeout(() => resolve('busy'), ms)
  })
  return Promise.race([work, late]).finally(() => realTime.clearTimeout(timer))
}

/** Returns the pages outside the contract: health probes and the OpenAPI document. */
export function probePages(
  { connection }: { readonly connection: Connection },
  version: string,
  vocabulary: Vocabulary | undefined,
  state: ServerState,
): Record<string, () => Promise<PlainResponse>> {
  return {
    '/healthz': async () => json({ status: 'ok', version }),
    '/readyz': async () => {
      if (state.isDraining) return json({ status: 'draining' }, 503)
      const reason = await within(answerTimeoutMs, findProblem(connection))
      if (reason === undefined) return json({ status: 'ready' })
      return json({ status: 'unavailable', reason: `database_${reason}`, message: publicMessages[reason] }, 503)
    },
    '/openapi.json': async () => {
      const { createOpenApiDocument } = await import('../../../contract/openapi/openapi-document.ts')
      const { openApiExamplesJson } = await import('../../../generated/openapi-examples.ts')
      return json(createOpenApiDocument(version, parseJson(openApiExamplesJson) as OpenApiExamples, vocabulary))
    },
  }
}
