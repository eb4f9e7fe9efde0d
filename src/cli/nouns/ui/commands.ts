import { inspector } from '../../../contract/control/inspector.ts'
import type { ExitName } from '../../../contract/errors/exit-codes.ts'
import { parseJson } from '../../../node/json.ts'
import { untilAborted } from '../../../node/until-aborted.ts'
import { closestMatch } from '../../program/commandline/closest-match.ts'
import { command } from '../../program/commandline/command.ts'
import { dataDir } from '../../program/configuration/app-folders.ts'
import { localProfile } from '../../program/configuration/profiles.ts'
import { withConfiguration } from '../../program/configuration/server-configuration.ts'
import { findReachableServer } from '../../program/connection/connect.ts'
import type { Context } from '../../program/context.ts'
import { usageError } from '../../program/errors/usage-error.ts'
import { idView } from '../../program/output/format.ts'
import { nounAliases } from '../../program/resources/noun-aliases.ts'
import type { System } from '../../program/system.ts'
import { startFlags } from '../server/start-flags.ts'
import { parseServeOptions } from '../server/start-settings.ts'

/** Returns the command that opens a URL; undefined without a display. */
function commandOf({ os, env }: Pick<System, 'os' | 'env'>): readonly [string, ...string[]] | undefined {
  if (env.BROWSER === 'none') return undefined
  if (os === 'darwin') return ['open']
  // The shell of Windows would read "&" in the URL.
  if (os === 'win32') return ['rundll32', 'url.dll,FileProtocolHandler']
  return env.DISPLAY || env.WAYLAND_DISPLAY ? ['xdg-open'] : undefined
}

/** Opens a URL in the browser of the user. Returns whether there is one. */
export async function openBrowser(system: Pick<System, 'os' | 'env' | 'run'>, url: string): Promise<boolean> {
  const found = commandOf(system)
  if (!found) return false
  const [program, ...args] = found
  const result = await system.run(program, [...args, url], { interactive: false }).catch(() => undefined)
  return result?.exitCode === 0
}

/** An inspector that this command serves until it ends. */
interface ServedInspector {
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
async function openInspector(context: Context, page: string, opens: boolean): Promise<ExitName> {
  const { system, notes } = context
  const { baseUrl } = await context.settings()
  const isLocal = baseUrl.value === localProfile.base_url
  const running = isLocal ? await findReachableServer(system) : undefined
  if (running) {
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
  // Scripts read these fields. The address has a secret that signs in once.
  if (!out.isForPeople) return out.record({ url: address, page: `${url}${page}` }, { view: idView(() => address) })
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

/**
 * Pages of the inspector, each with the nouns whose resources it shows. The names are those of `inspectorPages`
 * (inspector/backend.ts).
 */
const pages: Readonly<Record<string, readonly string[]>> = {
  overview: [],
  timeline: [],
  conversations: ['conversations', ...nounAliases.conversations],
  calls: ['calls', ...nounAliases.calls],
  automations: ['automate', ...nounAliases.automate],
  deliveries: ['deliveries', 'delivery'],
  messaging: ['campaigns', ...nounAliases.campaigns],
  numbers: ['numbers', ...nounAliases.numbers],
  clock: [],
  faults: [],
}

/**
 * Returns the path of a page of the inspector: its name, or a noun and an id. @throws ClientFailure `usage` for an
 * unknown page
 */
export function resourcePage(words: string): string {
  const [noun = '', ...rest] = words.trim().split(/\s+/)
  const page = Object.keys(pages).find((it) => it === noun || pages[it]?.includes(noun))
  if (page === undefined) {
    const names = [...Object.keys(pages), ...Object.values(pages).flat()]
    const close = closestMatch(noun, names)
    throw usageError(
      `The inspector has no page for "${noun}".${close === undefined ? '' : ` Did you mean "${close}"?`}`,
      `Pages: ${Object.keys(pages).join(', ')}.`,
    )
  }
  const [id, extra] = rest
  if (extra !== undefined || (id !== undefined && !/^[\w.:-]{1,100}$/.test(id)))
    throw usageError(`Invalid id "${rest.join(' ')}".`, `Pass one id: parley open ${noun} 7.`)
  if (id !== undefined && pages[page]?.length === 0)
    throw usageError(`The page ${page} has no resources.`, `Open the page: parley open ${page}.`)
  return `/_parley/${page}${id === undefined ? '' : `/${id}`}`
}

/** Flag of the commands that open the inspector. */
const openFlags = [{ flags: '--no-open', describe: 'Print the address instead of opening a browser' }]

export const ui = command({
  callsPlatform: true,
  summary: 'Open the inspector in the browser',
  flags: openFlags,
  examples: ['', '--no-open', '--profile production'],
  notes:
    'The inspector shows what happened on the platform: conversations, calls, automation runs, deliveries, costs and the clock. The link signs in once and expires after 5 minutes.\nIf no server runs for the data folder, the command starts one and stops it on Ctrl-C. For a remote platform it serves the inspector on this machine until Ctrl-C. The inspector of a remote platform only reads.',
  run: (context, { flags }) => openInspector(context, '/_parley/', flags.open !== false),
})

export const open = command({
  callsPlatform: true,
  summary: 'Open a page or a resource in the inspector',
  argument: {
    name: 'noun',
    describe: 'A page such as timeline, or a resource and its id, such as calls 7',
    optional: false,
    isVariadic: true,
  },
  flags: openFlags,
  examples: ['timeline', 'calls 7', 'conversations 0b6b1c52-5b5a-4a0e-9a34-2f6a3c1d7e90 --no-open'],
  notes: 'Works like "parley ui". For the server and remote platforms, see its help.',
  run(context, { argument, flags }) {
    if (argument === undefined) throw usageError('Missing page or resource.', 'For example: parley open calls 7.')
    return openInspector(context, resourcePage(argument), flags.open !== false)
  },
})
