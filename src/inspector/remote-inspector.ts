import { createServer } from 'node:http'
import type { AddressInfo } from 'node:net'
import type { Client } from '../client/client.ts'
import { detailsHeader } from '../contract/automations/automation-headers.ts'
import { endpoints } from '../contract/resources/index.ts'
import { user } from '../contract/resources/user.ts'
import { createRouter } from '../platform/server/http/router.ts'
import { type InspectorBackend, inspectorPages } from './backend.ts'
import { createInspector } from './inspector.ts'

/** A remote platform, reached through the client of the CLI. */
interface RemoteBackendOptions {
  readonly call: Client
  readonly profile: string
  /** Base URL. */
  readonly platform: string
  readonly version: string
}

/** Pages whose data only a local platform has. */
const localPages: ReadonlySet<string> = new Set(['deliveries', 'clock', 'faults'])

/** Returns the data of a remote platform. It is only read: every other method is refused before anything is sent. */
function remoteBackend({ call, profile, platform, version }: RemoteBackendOptions): InspectorBackend {
  const byName = new Map(endpoints.map((it) => [it.name, it]))
  const route = createRouter(endpoints.map((it) => [it.method, it.path, ...(it.name.split('.') as [string, string])]))
  return {
    async find(method, path) {
      const match = route(method, path)
      if ('methods' in match) return undefined
      const endpoint = byName.get(`${match.resource}.${match.verb}`)
      return endpoint && { endpoint, params: match.params }
    },
    async send({ method, url, endpoint, params, headers }) {
      if (method !== 'GET')
        return {
          status: 403,
          body: { message: 'The inspector of a remote platform only reads. Use the command instead.' },
        }
      const query = new URLSearchParams(url.split('?')[1])
      const details = headers[detailsHeader]
      try {
        const { status, output } = await call.raw(
          endpoint,
          { ...Object.fromEntries(query), ...params },
          details === undefined ? {} : { headers: { [detailsHeader]: details } },
        )
        return { status, body: output ?? null }
      } catch (error) {
        const { status = 502, message } = error as { readonly status?: number; readonly message: string }
        return { status, body: { message } }
      }
    },
    async session() {
      const me = await call(user.me, {}).catch(() => undefined)
      const hasApprovals = call.capabilities()?.has('approvals') === true
      return {
        mode: 'remote',
        read_only: true,
        platform,
        profile,
        version,
        // A key has one account, whose id a deployment does not tell.
        account: 1,
        accounts: [{ id: 1, name: me?.name ?? profile }],
        pages: {
          ...Object.fromEntries(
            inspectorPages.map((it) => [it, localPages.has(it) ? 'This page needs a local platform.' : true]),
          ),
          approvals: hasApprovals || 'This platform does not store approvals. List them: parley ops list --pending.',
        },
      }
    },
  }
}

/** Serves the inspector of a remote platform on a free port of this machine, for the user of this command only. */
export async function serveRemoteInspector(options: RemoteBackendOptions & { readonly log: (text: string) => void }) {
  let address = ''
  const inspector = createInspector({
    backend: remoteBackend(options),
    address: () => address,
    isPublic: false,
    log: options.log,
  })
  const server = createServer((request, response) => {
    const { pathname } = new URL(request.url ?? '/', 'http://localhost')
    if (pathname === '/') response.writeHead(302, { location: '/_parley/' }).end()
    else void inspector.respond(request, response)
  })
  await new Promise<void>((resolve, reject) => {
    server.once('error', reject)
    server.listen(0, '127.0.0.1', resolve)
  })
  address = `127.0.0.1:${(server.address() as AddressInfo).port}`
  return {
    url: `http://${address}`,
    path: `/_parley/login?code=${inspector.createCode()}`,
    ended: new Promise<void>(() => {}),
    close: () =>
      new Promise<void>((resolve) => {
        inspector.close()
        server.close(() => resolve())
        server.closeAllConnections()
      }),
  }
}
