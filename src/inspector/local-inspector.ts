import { join } from 'node:path'
import { openJournal } from '../client/journal/journal.ts'
import { localPlatform } from '../client/transport/platform-address.ts'
import type { Account } from '../contract/control/accounts.ts'
import type { ChangeFeed } from '../contract/control/change-feed.ts'
import type { Endpoint } from '../contract/endpoint/endpoint.ts'
import { controlHeader } from '../contract/endpoint/headers.ts'
import type { PlainRequest, PlainResponse } from '../contract/endpoint/http-message.ts'
import { crypto } from '../node/crypto.ts'
import { dataFiles } from '../node/data-files.ts'
import { parseJson } from '../node/json.ts'
import { realTime } from '../node/real-time.ts'
import { type InspectorBackend, inspectorPages } from './backend.ts'
import { createInspector, type Inspector } from './inspector.ts'
import { platformClient } from './platform-client.ts'

/**
 * A problem of an account, with the command or instruction that fixes it. The page has a copy of it
 * (page/overview/findings.ts).
 */
interface Problem {
  readonly code: string
  readonly severity: 'warning' | 'failed'
  readonly text: string
  readonly command: string | null
  readonly subject: { readonly noun: string; readonly id: string } | null
}

/**
 * Checks the resources of an account as `parley doctor` does. `send` answers for that account, and `now` is the time of
 * the platform in milliseconds since 1970.
 */
async function findAccountProblems(
  send: (request: PlainRequest) => Promise<PlainResponse>,
  now: number,
): Promise<Problem[]> {
  // First, because it registers the resources that the checks read.
  await import('../cli/resources.ts')
  const { checkAccount } = await import('../cli/features/doctor/account/check-account.ts')
  const call = platformClient(send)
  const findings = await checkAccount(
    { system: { signal: new AbortController().signal }, supports: async () => true },
    { call, base: localPlatform, now, reach: false },
  )
  return findings.flatMap(({ check, status, detail, hint, noun, id, record }) => {
    if (status === 'ok') return []
    const subject = record ?? (noun === null || id === null ? null : { noun, id: String(id) })
    return [{ code: check, severity: status, text: detail, command: hint, subject }]
  })
}

/** A local platform, as the inspector uses it. */
interface LocalPlatform {
  readonly inspection: {
    send(request: PlainRequest): Promise<PlainResponse>
    find(
      method: string,
      path: string,
    ): Promise<{ readonly endpoint: Endpoint; readonly params: Readonly<Record<string, string>> } | undefined>
    changes(): Promise<ChangeFeed>
    /** Returns the time of the platform in milliseconds since 1970. */
    now(): Promise<number>
  }
  credentials(): { readonly control: string }
}

/** Settings of the inspector of a server. */
interface LocalBackendOptions {
  readonly platform: LocalPlatform
  readonly url: () => string
  /** The data folder, which has the operations journal. */
  readonly dataDir: string
  readonly version: string
  readonly changes?: ChangeFeed | undefined
}

/** Returns the data of the server's own platform. */
function localBackend({ platform, url, dataDir, version, changes }: LocalBackendOptions): InspectorBackend {
  const { inspection } = platform
  const send = async (
    { method, url, headers, body }: Pick<PlainRequest, 'method' | 'url' | 'headers'> & { body?: string | undefined },
    account: number,
    isControl: boolean,
  ): Promise<{ readonly status: number; readonly body: unknown }> => {
    const answer = await inspection.send({
      method,
      url,
      headers: {
        ...headers,
        ...(body !== undefined && { 'content-type': 'application/json' }),
        ...(isControl && { [controlHeader]: platform.credentials().control }),
      },
      ...(body !== undefined && { body }),
      inspector: { account },
    })
    return { status: answer.status, body: parsed(answer.body) }
  }
  return {
    changes,
    async journal() {
      return openJournal({
        file: join(dataDir, dataFiles.journal),
        now: realTime.now,
        newId: () => crypto().randomUUID(),
      })
    },
    find: inspection.find,
    async send(request) {
      const answer = await send(request, request.account, request.endpoint.auth === 'control')
      // The platform answers with its own problems; those of the account's resources need the checks of the command line.
      if (request.endpoint.name !== 'inspector.overview' || answer.status !== 200) return answer
      const overview = answer.body as { attention: Problem[] }
      const found = await findAccountProblems(
        (it) => inspection.send({ ...it, inspector: { account: request.account } }),
        await inspection.now(),
      ).catch((error: Error): Problem[] => [
        {
          code: 'check_failed',
          severity: 'warning',
          text: `The resources could not be checked: ${error.message}`,
          command: 'parley doctor',
          subject: null,
        },
      ])
      return { status: 200, body: { ...overview, attention: [...overview.attention, ...found] } }
    },
    async session() {
      const { body } = await send({ method: 'GET', url: '/control/accounts', headers: {} }, 0, true)
      const accounts = ((body as { data?: Account[] }).data ?? []).map(({ id, name }) => ({ id, name }))
      return {
        mode: 'local',
        read_only: false,
        platform: url(),
        profile: 'local',
        version,
        account: accounts[0]?.id ?? 1,
        accounts,
        pages: Object.fromEntries(inspectorPages.map((it) => [it, true as const])),
      }
    },
  }
}

function parsed(body: string): unknown {
  try {
    return body === '' ? null : parseJson(body)
  } catch {
    return { message: body }
  }
}

/** Settings of the inspector of a server. */
interface LocalInspectorOptions {
  readonly platform: LocalPlatform
  readonly dataDir: string
  /** Returns address and port of the listener. */
  readonly address: () => string
  readonly isPublic: boolean
  readonly version: string
  readonly log: (text: string) => void
  readonly folder?: string | undefined
}

/** Creates the inspector of a server of a local platform. */
export const createLocalInspector = ({
  platform,
  dataDir,
  version,
  folder,
  ...options
}: LocalInspectorOptions): Inspector =>
  createInspector({
    ...options,
    ...(folder !== undefined && { folder }),
    backend: localBackend({
      platform,
      url: () => `http://${options.address()}`,
      dataDir,
      version,
      changes: lazyFeed(platform),
    }),
  })

/** Returns the feed of a platform, which is created when a page first asks for changes. */
function lazyFeed({ inspection }: LocalPlatform): ChangeFeed {
  let feed: Promise<ChangeFeed> | undefined
  const opened = (): Promise<ChangeFeed> => (feed ??= inspection.changes())
  return { now: async () => (await opened()).now(), since: async (cursor) => (await opened()).since(cursor) }
}
