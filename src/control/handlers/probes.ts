import type { PlainResponse } from '../../contract/mechanics/http-message.ts'
import type { Vocabulary } from '../../contract/vocabulary/vocabulary.ts'
import type { Connection } from '../../store/database/connection.ts'
import { isReadable } from '../../store/database/meta.ts'
import type { ServerState } from './server-state.ts'

const json = (body: unknown, status = 200): PlainResponse => ({ status, headers: {}, body: JSON.stringify(body) })

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
      const ok = await isReadable(connection.read)
      return json({ status: ok ? 'ready' : 'unavailable' }, ok ? 200 : 503)
    },
    '/openapi.json': async () => {
      const { createOpenApiDocument } = await import('../../contract/openapi/openapi-document.ts')
      return json(createOpenApiDocument(version, vocabulary))
    },
  }
}
