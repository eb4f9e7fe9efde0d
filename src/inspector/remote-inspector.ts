import { createServer } from 'node:http'
import type { AddressInfo } from 'node:net'
import { createInspector } from './inspector.ts'
import { type RemoteBackendOptions, remoteBackend } from './remote-backend.ts'

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
