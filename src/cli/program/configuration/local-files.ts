import { existsSync } from 'node:fs'
import { join } from 'node:path'
import { dataFiles } from '../../../node/data-files.ts'
import { isMarkedPlatform, markerName } from '../../../node/folder-marker.ts'
import { configurationFileName } from './app-folders.ts'

/** A file or folder on this machine. */
export interface LocalFile {
  readonly folder: 'data' | 'configuration' | 'cache'
  /** Name below the folder; a trailing slash marks a folder. */
  readonly name: string
  readonly holds: string
  /** How long it exists, or what deletes it. */
  readonly until: string
  /** Must not be readable by other users. */
  readonly secret?: true
  /** May contain personal data: recipients and the content of messages and calls. */
  readonly personal?: true
}

const logRetention = '30 days, or sooner with parley server purge'

/**
 * All files that Parley writes. The privacy help topic and the permission checks of `doctor` are derived from this list, so a file
 * that is missing here is in neither. Names without a constant are those of the features that write them, such as `bulk/`.
 */
export const localFiles = [
  {
    folder: 'configuration',
    name: configurationFileName,
    holds: 'Profiles, including API keys',
    until: 'parley profile delete',
    secret: true,
  },
  {
    folder: 'data',
    name: dataFiles.credentials,
    holds: 'API key and control token of the local platform',
    until: 'You delete the folder',
    secret: true,
  },
  {
    folder: 'data',
    name: dataFiles.key,
    holds: 'Encryption key for secrets in the database',
    until: 'You delete the folder',
    secret: true,
  },
  {
    folder: 'data',
    name: dataFiles.postgres,
    holds: 'Address of the PostgreSQL database of the folder, without the password',
    until: 'You delete the folder',
    secret: true,
  },
  {
    folder: 'data',
    name: markerName,
    holds: 'Which of these files the folder has, so that a lost one is not taken for a new folder',
    until: 'You delete the folder',
  },
  {
    folder: 'data',
    name: dataFiles.sqlite,
    holds: 'The local platform: assistants, leads, conversations, calls, runs, events and deliveries',
    until: `parley server reset; runs, events and deliveries ${logRetention}`,
    secret: true,
    personal: true,
  },
  {
    folder: 'data',
    name: 'events/',
    holds: 'Ids of the events that events listen delivered of each remote deployment, and the secret that signs them',
    until: 'You delete the folder',
    secret: true,
  },
  {
    folder: 'data',
    name: 'platform.db-wal',
    holds: 'Latest writes, until they are in the database',
    until: 'The last command or server exits',
    secret: true,
    personal: true,
  },
  {
    folder: 'data',
    name: 'platform.db-shm',
    holds: 'Index of the latest writes',
    until: 'The last command or server exits',
  },
  {
    folder: 'data',
    name: dataFiles.requests,
    holds: 'Requests that servers received, without secrets',
    until: logRetention,
    secret: true,
    personal: true,
  },
  {
    folder: 'data',
    name: dataFiles.olderRequests,
    holds: 'Older requests',
    until: logRetention,
    secret: true,
    personal: true,
  },
  {
    folder: 'data',
    name: 'snapshots/',
    holds: 'Snapshots saved with "parley server snapshot save"',
    until: 'parley server snapshot delete',
    secret: true,
    personal: true,
  },
  {
    folder: 'data',
    name: dataFiles.journal,
    holds: 'Operations journal: purchases and messages on any platform, shown by "parley ops"',
    until: 'parley server purge, for operations with a known outcome',
    secret: true,
    personal: true,
  },
  {
    folder: 'data',
    name: dataFiles.server,
    holds: 'Address of the running server of this folder',
    until: 'The server exits',
    secret: true,
  },
  {
    folder: 'data',
    name: 'accounts.json',
    holds: 'Account of each API key: number of the key and a hash of the email address',
    until: 'You delete the file',
    secret: true,
  },
  {
    folder: 'data',
    name: 'bulk/',
    holds: 'Progress of bulk operations: completed rows and recipients, which a rerun skips',
    until: 'parley server purge',
    secret: true,
    personal: true,
  },
  {
    folder: 'data',
    name: 'contacts/',
    holds: 'Contacts that have opted out, for platforms that have no such list',
    until: 'You delete the folder',
    personal: true,
  },
  {
    folder: 'data',
    name: 'judgements/',
    holds: 'Scores, reasons and masked quotes of judged conversations and calls, which are not judged again',
    until: 'You delete the folder',
    secret: true,
    personal: true,
  },
  { folder: 'data', name: 'open.*', holds: 'Processes that use the folder', until: 'The processes exit' },
  {
    folder: 'data',
    name: 'promotions/',
    holds: 'Last promotion to each profile: previous values of changed resources, without secrets',
    until: 'You delete the folder',
    secret: true,
    personal: true,
  },
  {
    folder: 'data',
    name: 'rotations/',
    holds: 'Ids of the keys of a "parley keys rotate" in progress, by profile',
    until: 'The rotation is complete',
  },
  {
    folder: 'data',
    name: 'stopped/',
    holds: 'Profiles that "parley stop --all" has stopped, where the platform has no stop',
    until: 'parley resume',
  },
  {
    folder: 'data',
    name: 'history/',
    holds: 'History: previous values of changed resources, and a log of writes',
    until: logRetention,
    secret: true,
    personal: true,
  },
  {
    folder: 'data',
    name: 'completion/',
    holds: 'Shell completion scripts',
    until: 'parley completion --uninstall',
  },
  {
    folder: 'data',
    name: dataFiles.pendingRestore,
    holds: 'Snapshot that is being restored',
    until: 'The restore is complete',
  },
  {
    folder: 'data',
    name: 'platform.db.v*.bak',
    holds: 'Backup of the database from before a schema upgrade',
    until: 'You delete the file',
    secret: true,
    personal: true,
  },
  {
    folder: 'cache',
    name: 'names/',
    holds: 'Ids and names of listed resources, for completion',
    until: 'You delete the folder',
    secret: true,
    personal: true,
  },
  {
    folder: 'cache',
    name: 'current',
    holds: 'Name of the current profile, for completion',
    until: 'You delete the folder',
  },
  {
    folder: 'cache',
    name: 'v*/',
    holds: 'Compiled code of this program, by Node version',
    until: 'You delete the folder',
  },
] as const satisfies readonly LocalFile[]

/** Returns whether a data folder has a local platform: a SQLite file, or a PostgreSQL database that it remembers, also if they are lost. */
export const hasPlatform = (dataDir: string): boolean =>
  [dataFiles.sqlite, dataFiles.postgres].some((it) => existsSync(join(dataDir, it))) || isMarkedPlatform(dataDir)
