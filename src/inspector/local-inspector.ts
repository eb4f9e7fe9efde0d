import type { ChangeFeed } from '../contract/control/change-feed.ts'
import { createInspector, type Inspector } from './inspector.ts'
import { type LocalPlatform, localBackend } from './local-backend.ts'

/** Settings of the inspector of a server. */
export interface LocalInspectorOptions {
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
