import { type ServeSettings, serve } from '../../../../src/platform/serve.ts'
import { afterFile } from '../../../support/cleanup.ts'
import { schemaTemplate, temporaryFolder } from '../../../support/databases.ts'
import { isAlive } from '../../../support/platform/platform-api.ts'

/** Serves a new platform until the tests of the file end. */
export async function servedPlatform(settings: Partial<ServeSettings> = {}) {
  const server = await serve({
    dataDir: temporaryFolder(),
    template: schemaTemplate,
    durable: false,
    host: '127.0.0.1',
    port: 0,
    pid: process.pid,
    isAlive,
    ...settings,
  })
  afterFile(() => server.stop())
  const call = (path: string, headers: Record<string, string> = {}, init: RequestInit = {}): Promise<Response> =>
    fetch(`${server.url}${path}`, { ...init, headers: { authorization: `Bearer ${server.key}`, ...headers } })
  return { ...server, call }
}
