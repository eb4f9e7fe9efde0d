import type { Import } from './sources.ts'

/** What each room of src, or part of one, may import: rooms, parts, folders or files. `type:` is erased from the program; `lazy:` is an `import()`, or a type. */
export const mayImport: Record<string, readonly string[]> = {
  // What needs Node: timers and the time of the machine, the one way folders are made, and lines of append-only files are read. Encryption is loaded when it is needed.
  node: [],
  // Parses and writes JSON without changing digits.
  contract: ['node/json.ts'],
  // Automations as rules: definitions, expressions, pieces, sandbox, templates, requests of tools.
  engine: ['contract', 'node'],
  client: ['contract', 'node'],
  // A row of a step holds what the engine records of it.
  'platform/store': ['type:contract', 'type:engine/runs/run-state.ts', 'node'],
  // Clock, scheduled jobs, webhook signatures.
  'platform/jobs': ['contract', 'platform/store', 'node'],
  'platform/runs': ['contract', 'engine', 'platform/store', 'node'],
  'platform/services': ['contract', 'platform/store', 'platform/jobs', 'engine', 'platform/runs', 'node'],
  // Local providers keep their data in the database of the platform, through a connection that is passed to them.
  'platform/providers': ['contract', 'engine', 'type:platform/store', 'node'],
  // A handler writes times as the wire has them, and names the rows it translates.
  'platform/server': ['contract', 'platform/services', 'platform/jobs/clock.ts', 'type:platform/store', 'node'],
  // Control endpoints are answered like any other.
  'platform/control': [
    'contract',
    'platform/services',
    'platform/store',
    'platform/jobs',
    'engine',
    'platform/runs',
    'platform/providers',
    'type:platform/server',
    'platform/server/handlers/handler.ts',
    'generated',
    'node',
  ],
  'platform/serve.ts': [
    'node',
    'platform/compose.ts',
    'type:platform/platform-settings.ts',
    'platform/server',
    'contract',
    'lazy:inspector',
  ],
  'platform/platform-settings.ts': [
    'type:contract',
    'type:engine',
    'type:platform/control',
    'type:platform/jobs',
    'type:platform/providers',
    'type:platform/server',
    'type:platform/services',
  ],
  'platform/compose.ts': [
    'type:platform/platform-settings.ts',
    'contract',
    'client',
    'engine',
    'platform/store',
    'platform/runs',
    'platform/jobs',
    'platform/services',
    'platform/providers',
    'platform/server',
    'platform/control',
    'generated',
    'node',
  ],
  'platform/environment-settings.ts': ['node/cache-folder.ts'],
  'platform/server-options.ts': ['type:contract'],
  // The platforms on which assistants are tested.
  'platform/temporary-platform.ts': [
    'platform/compose.ts',
    'platform/environment-settings.ts',
    'type:platform/platform-settings.ts',
    'node',
    'type:contract',
  ],
  'cli/program': [
    'contract',
    'client',
    'engine',
    'node',
    'generated',
    // The options of the local platform, which the system of a program opens.
    'platform/environment-settings.ts',
    'type:platform/server-options.ts',
    'type:platform/temporary-platform.ts',
    'lazy:platform/control/transfer',
  ],
  'cli/nouns': [
    'cli/program',
    'contract',
    'client',
    'engine',
    'node',
    'generated',
    // The inspector of a remote platform runs in the process of the command.
    'lazy:inspector',
  ],
  'cli/features': ['cli/nouns', 'cli/program', 'contract', 'client', 'engine', 'node', 'generated'],
  'cli/reference': ['cli/features', 'cli/nouns', 'cli/program', 'contract', 'client', 'engine', 'node', 'generated'],
  // The two tables that know everything: commands, and what nouns register.
  'cli/tree.ts': ['cli', 'type:contract'],
  'cli/resources.ts': ['cli'],
  generated: [],
  // The page of the inspector runs in a browser and knows only the answers of the server.
  'inspector/page': ['node/json.ts', 'contract/values'],
  // The web page of a server, or of a command for a remote deployment. Values are formatted as in the terminal.
  inspector: [
    'contract',
    'node',
    'cli/program/output',
    'platform/server/http',
    'client',
    'type:platform/server',
    // The overview has the findings of `parley doctor`.
    'lazy:cli/resources.ts',
    'lazy:cli/features/doctor/account/check-account.ts',
    // A confirmation has the price that `--budget` is compared with.
    'cli/program/operations/campaign-price.ts',
  ],
  // The tables of test numbers in the documentation come from the local providers and the sample data, which is also
  // recorded as rows. The examples of the OpenAPI documents are answers of a platform.
  generate: ['node', 'contract', 'engine', 'platform', 'cli'],
  'entry.ts': ['main.ts', 'system.ts', 'node'],
  // The process itself: its streams and signals, and the local platform, which is loaded when it is opened.
  'system.ts': ['cli/program', 'client', 'platform/environment-settings.ts', 'lazy:platform', 'node'],
  'main.ts': ['contract', 'client', 'cli'],
  'platform.ts': ['type:typed-client.ts', 'lazy:testing', 'node'],
  // The platform in the process of other people's tests.
  testing: ['platform.ts', 'platform/environment-settings.ts', 'platform/serve.ts', 'typed-client.ts', 'node'],
  // The client of applications: types, and one lazy import with the contract.
  'typed-client.ts': ['type:generated', 'lazy:open-typed-client.ts', 'node'],
  'open-typed-client.ts': ['contract', 'client', 'type:typed-client.ts', 'node'],
}

/** `src/contract/resources/keys.ts` is part of `contract`, `src/cli/nouns/keys/commands.ts` of `cli/nouns`. */
export function partOf(path: string): string {
  const [, room = '', part = ''] = path.split('/')
  return /^(platform|cli)$/.test(room) || (room === 'inspector' && part === 'page') ? `${room}/${part}` : room
}

/** Returns whether a part may have an import. */
export function isAllowed(part: string, { target, kind }: Import): boolean {
  const forms = kind === 'type' ? ['', 'type:', 'lazy:'] : kind === 'lazy' ? ['', 'lazy:'] : ['']
  const segments = target.replace('src/', '').split('/')
  const names = segments.map((_, n) => segments.slice(0, n + 1).join('/'))
  return names.some((name) => forms.some((form) => mayImport[part]?.includes(form + name)))
}
