import type { ExitName } from '../../../contract/errors/exit-codes.ts'
import { parseJson } from '../../../node/json.ts'
import { dataDir } from '../../configuration/app-folders.ts'
import { localProfile } from '../../configuration/profiles.ts'
import { withConfiguration } from '../../configuration/server-configuration.ts'
import { findReachableServer } from '../../connection/connect.ts'
import type { Context } from '../../context.ts'
import { startFlags } from '../server/start-flags.ts'
import { parseServeOptions } from '../server/start-settings.ts'
import { openBrowser } from './open-browser.ts'

/** An inspector that this command serves until it ends. */
export interface ServedInspector {
  /** Base URL of its listener. */
  readonly url: string
  /** Path that signs in. */
  readonly path: string
  /** Resolves when it is asked to stop. */
  readonly ended: Promise<void>
  close(): Promise<void>
}

/**
 * Opens a page of the inspector: of the server that runs, of one that is started until Ctrl-C, or of a remote platform.
 */
export async function openInspector(context: Context, page: string, opens: boolean): Promise<ExitName> {
  const { system, notes } = context
  const { baseUrl } = await context.settings()
  const isLocal = baseUrl.value === localProfile.base_url
  const running = isLocal ? await findReachableServer(system) : undefined
  if (running) {
    const { inspector } = await import('../../../contract/control/inspector.ts')
    const { path } = await context.call(inspector.login, {})
    await show(context, running.url, path, page, opens)
    return 'done'
  }
  const served = isLocal ? await startServer(context) : await serveRemote(context)
  try {
    await show(context, served.url, served.path, page, opens)
    await notes.note(`${isLocal ? 'The server' : 'The inspector'} runs until Ctrl-C.`)
    await Promise.race([untilAborted(system.signal), served.ended])
  } finally {
    await served.close()
  }
  return 'done'
}

/** Opens the browser, or prints the address. */
async function show(context: Context, url: string, path: string, page: string, opens: boolean): Promise<void> {
  const { out, notes, system } = context
  const address = `${url}${path}&next=${encodeURIComponent(page)}`
  if (out.settings.form !== 'table')
    return out.record({ url: address, page: `${url}${page}` }, { view: { id: (it) => it.url, columns: [], empty: '' } })
  const isOpened = opens && system.streams.stderr.isTTY && (await openBrowser(system, address))
  if (isOpened) return notes.note(`Opened ${url}${page} in the browser.`)
  await out.line(address)
  await notes.note('The link signs in once and expires after 5 minutes.')
}

/** Starts a server for the data folder, on a free port if the usual one is in use. */
async function startServer(context: Context): Promise<ServedInspector> {
  const { system } = context
  const options = await parseServeOptions(context, await withConfiguration(system, {}, startFlags), {})
  const serve = (port: number) => system.serve({ ...options, port, dataDir: dataDir(system) })
  const server = await serve(options.port).catch((error: Error) => {
    if (error.name !== 'ListenFailed' || !/ is in use\.$/.test(error.message)) throw error
    return serve(0)
  })
  const { status, body } = await server.control('POST', '/control/inspector/logins')
  const { path, message } = parseJson(body) as { path: string; message?: string }
  if (status !== 200) {
    await server.stop({ delayMs: 0 })
    throw new Error(message)
  }
  return { url: server.url, path, ended: server.drainRequested, close: () => server.stop({ delayMs: 0 }) }
}

async function serveRemote(context: Context): Promise<ServedInspector> {
  const { serveRemoteInspector } = await import('../../../inspector/remote-inspector.ts')
  const { profileName, baseUrl } = await context.settings()
  const { call } = await context.connection()
  return serveRemoteInspector({
    call,
    profile: profileName.value,
    platform: baseUrl.value,
    version: context.system.version,
    log: (text) => void context.system.streams.stderr.write(`${text}\n`).catch(() => {}),
  })
}

const untilAborted = (signal: AbortSignal): Promise<void> =>
  new Promise((resolve) => {
    if (signal.aborted) resolve()
    else signal.addEventListener('abort', () => resolve(), { once: true })
  })
