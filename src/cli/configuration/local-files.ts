/** A file or folder that stays on this machine. */
export interface LocalFile {
  readonly folder: 'data' | 'configuration' | 'cache'
  /** Its name below the folder; one that ends in a slash is a folder. */
  readonly name: string
  readonly holds: string
  /** How long it stays, and what takes it away. */
  readonly until: string
  /** Nobody else may read it. */
  readonly secret?: true
  /** It may tell who was called or written to, and what was said. */
  readonly personal?: true
}

const logRetention = '30 days, or sooner with parley server purge'

/** Everything Parley writes. The privacy topic and the checks of permissions are made of this. */
export const localFiles = [
  {
    folder: 'configuration',
    name: 'config.json',
    holds: 'Profiles, with API keys that were typed in',
    until: 'parley profile delete',
    secret: true,
  },
  {
    folder: 'data',
    name: 'credentials.json',
    holds: 'Key and control token of the platform inside',
    until: 'The folder is deleted',
    secret: true,
  },
  {
    folder: 'data',
    name: 'secret.key',
    holds: 'Key that secrets in the database are sealed with',
    until: 'The folder is deleted',
    secret: true,
  },
  {
    folder: 'data',
    name: 'platform.db',
    holds: 'The local platform: assistants, leads, conversations, calls, runs, events and deliveries',
    until: `parley server reset; runs, events and deliveries ${logRetention}`,
    secret: true,
    personal: true,
  },
  {
    folder: 'data',
    name: 'platform.db-wal',
    holds: 'What was written last, until it is in the database',
    until: 'The last command or server ends',
    secret: true,
    personal: true,
  },
  {
    folder: 'data',
    name: 'platform.db-shm',
    holds: 'Where to find it there',
    until: 'The last command or server ends',
  },
  {
    folder: 'data',
    name: 'requests.ndjson',
    holds: 'Requests that servers were asked, without secrets',
    until: logRetention,
    secret: true,
    personal: true,
  },
  {
    folder: 'data',
    name: 'requests.1.ndjson',
    holds: 'The older half of them',
    until: logRetention,
    secret: true,
    personal: true,
  },
  {
    folder: 'data',
    name: 'snapshots/',
    holds: 'What "parley server snapshot save" saved',
    until: 'parley server snapshot delete',
    secret: true,
    personal: true,
  },
  {
    folder: 'data',
    name: 'spends.ndjson',
    holds: 'Journal of purchases and messages, on any platform: what "parley ops" tells',
    until: 'Those whose outcome is known: parley server purge',
    secret: true,
    personal: true,
  },
  {
    folder: 'data',
    name: 'server.json',
    holds: 'Where the server of this folder listens',
    until: 'The server ends',
    secret: true,
  },
  {
    folder: 'data',
    name: 'accounts.json',
    holds: 'Which API key is of which account: the number of the key and a hash of the e-mail address',
    until: 'It is deleted by hand',
    secret: true,
  },
  {
    folder: 'data',
    name: 'bulk/',
    holds: 'Which rows of which file are done, and who was sent what: what a rerun skips',
    until: 'parley server purge',
    secret: true,
    personal: true,
  },
  { folder: 'data', name: 'open.*', holds: 'Which processes have the folder open', until: 'They end' },
  {
    folder: 'data',
    name: 'history/',
    holds: 'Copies of what was changed, so that it can be put back, and a log of writes',
    until: logRetention,
    secret: true,
    personal: true,
  },
  {
    folder: 'data',
    name: 'completion/',
    holds: 'Completion scripts of shells',
    until: 'parley completion --uninstall',
  },
  { folder: 'data', name: 'restoring.json', holds: 'Which snapshot is being put back', until: 'It is back' },
  {
    folder: 'data',
    name: 'platform.db.v*.bak',
    holds: 'The database as it was before a newer Parley changed its tables',
    until: 'It is deleted by hand',
    secret: true,
    personal: true,
  },
  {
    folder: 'cache',
    name: 'names/',
    holds: 'Ids and names of what was listed, for the completion',
    until: 'The folder is deleted',
    secret: true,
    personal: true,
  },
  {
    folder: 'cache',
    name: 'current',
    holds: 'Name of the profile in use, for the completion',
    until: 'The folder is deleted',
  },
  {
    folder: 'cache',
    name: 'v*/',
    holds: 'Compiled code of this program, by the version of Node',
    until: 'The folder is deleted',
  },
] as const satisfies readonly LocalFile[]
