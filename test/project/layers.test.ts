import { expect, test } from 'vitest'
import { type Import, importsOf, isNode, place, sourcesIn, walk } from '../support/sources.ts'

/** What each part may import: other parts, or single files of them. `type:` is erased from the program; `lazy:` is an `import()`, or a type. */
const mayImport: Record<string, readonly string[]> = {
  // What needs Node: timers and the time of the machine, the one way folders are made, and lines of append-only files are read. Encryption is loaded when it is needed.
  node: [],
  // Parses and writes JSON without changing digits.
  contract: ['node/json.ts'],
  client: ['contract', 'node'],
  store: ['type:contract', 'node'],
  // Clock, scheduled jobs, webhook signatures.
  jobs: ['contract', 'store', 'node'],
  // Definitions of automations and their expressions: shared by the terminal and the platform.
  // Steps call connected accounts through the interfaces of their providers.
  flow: ['contract', 'node', 'type:providers/ports'],
  automation: ['contract', 'flow', 'store', 'node', 'type:providers/ports'],
  services: ['contract', 'store', 'jobs', 'flow', 'automation', 'node', 'type:providers/ports'],
  // Local providers keep their data in the database of the platform, through a connection that is passed to them.
  providers: ['contract', 'type:store', 'node'],
  // A handler writes times as the wire has them, and names the rows it translates.
  server: ['contract', 'services', 'jobs/clock.ts', 'type:store', 'node'],
  // Control endpoints are answered like any other.
  control: [
    'contract',
    'services',
    'store',
    'jobs',
    'flow',
    'automation',
    'providers',
    'type:server',
    'server/handlers/loaded-resource.ts',
    'generated',
    'node',
  ],
  // Definitions are compared, checked and simulated without a platform: with pure parts of the automations.
  cli: [
    'contract',
    'client',
    'node',
    'generated',
    'type:system.ts',
    'flow',
    'lazy:automation/http/address-policy.ts',
    'lazy:automation/run/local-check.ts',
    'lazy:automation/run/simulate-run.ts',
    'lazy:automation/sandbox/create-sandbox.ts',
    // The catalogue of a platform is compared with the documented one.
    'lazy:automation/templates/template-catalogue.ts',
    'lazy:automation/templates/template.ts',
    'lazy:automation/templates/template-preview.ts',
    'lazy:automation/triggers/event-samples.ts',
    // A request of a tool is built and judged as the platform does.
    'lazy:services/functions/function-results.ts',
    'lazy:services/functions/tool-request.ts',
    // The inspector of a remote platform runs in the process of the command.
    'lazy:inspector',
    // A forecast is computed as the platform does.
    'lazy:services/billing/forecast.ts',
  ],
  generated: [],
  // The page of the inspector runs in a browser and knows only the answers of the server.
  'inspector-page': ['node/json.ts', 'contract/values'],
  // The web page of a server, or of a command for a remote deployment. Values are formatted as in the terminal.
  inspector: [
    'contract',
    'node',
    'cli/output',
    'server/http',
    'type:client',
    'type:server',
    // The overview has the findings of `parley doctor`.
    'lazy:client',
    'lazy:cli/doctor/account/check-account.ts',
    // A confirmation has the price that `--budget` is compared with.
    'lazy:cli/operations/campaign-price.ts',
  ],
  // The tables of test numbers in the documentation come from the local providers and the sample data, which is also
  // recorded as rows. The examples of the OpenAPI documents are answers of a platform.
  generate: [
    'node',
    'compose.ts',
    'server/http/router.ts',
    'flow',
    'contract',
    'cli',
    'store',
    'services/messaging/channel-sync-service.ts',
    'services/runtime',
    'control/data-folder/secret-generator.ts',
    'control/seed/sample-numbers.ts',
    'control/seed/sample-rows.ts',
    'control/seed/seed-sample-data.ts',
    'providers/payments/local-payments.ts',
    'providers/telephony',
    'providers/local/test-numbers.ts',
    'providers/messaging/test-recipients.ts',
    'control/seed/sample-senders.ts',
  ],
  'entry.ts': ['main.ts', 'system.ts', 'node'],
  'main.ts': ['contract', 'client', 'cli', 'type:system.ts'],
  'environment-settings.ts': [],
  'system.ts': [
    'node',
    'environment-settings.ts',
    'type:server-options.ts',
    'contract',
    'client',
    'cli',
    'lazy:compose.ts',
    'lazy:serve.ts',
    'lazy:start-again.ts',
    'lazy:temporary-platform.ts',
    'lazy:control/transfer',
  ],
  'server-options.ts': ['type:contract'],
  // The platforms on which assistants are tested.
  'temporary-platform.ts': [
    'compose.ts',
    'environment-settings.ts',
    'testing/temporary-folder.ts',
    'type:contract',
    'type:system.ts',
  ],
  'start-again.ts': [],
  'platform.ts': ['type:typed-client.ts', 'lazy:testing', 'node'],
  // The platform in the process of other people's tests.
  testing: ['platform.ts', 'environment-settings.ts', 'serve.ts', 'typed-client.ts', 'node'],
  // The client of applications: types, and one lazy import with the contract.
  'typed-client.ts': ['type:generated', 'lazy:open-typed-client.ts', 'node'],
  'open-typed-client.ts': ['contract', 'client', 'type:typed-client.ts', 'node'],
  'serve.ts': [
    'node',
    'compose.ts',
    'drain-server.ts',
    'type:platform-settings.ts',
    'server',
    'type:contract',
    'lazy:client/requests/redact.ts',
    'lazy:inspector',
    'node',
  ],
  'drain-server.ts': ['type:platform-settings.ts', 'type:jobs', 'type:server', 'node'],
  'platform-settings.ts': ['type:contract', 'type:control', 'type:flow', 'type:jobs', 'type:providers', 'type:server'],
  'compose.ts': [
    'type:platform-settings.ts',
    'contract',
    'client',
    'store',
    'flow',
    'automation',
    'jobs',
    'services',
    'providers',
    'server',
    'control',
    'generated',
    'node',
  ],
}

/** Imports that are against the above and known. This list may only shrink. */
const known: readonly string[] = [
  'src/server/http/error-responses.ts -> src/store/database/store-error.ts',
  'src/server/middleware/idempotency.ts -> src/store/runtime/idempotency-keys.ts',
  'src/server/middleware/request-limits.ts -> src/store/runtime/request-limits.ts',
]

/** `src/contract/resources/keys.ts` is part of `contract`; `src/main.ts` stands for itself. */
const partOf = (path: string): string => path.split('/')[1] ?? ''

function isAllowed(part: string, { target, kind }: Import): boolean {
  const forms = kind === 'type' ? ['', 'type:', 'lazy:'] : kind === 'lazy' ? ['', 'lazy:'] : ['']
  const path = target.replace('src/', '')
  const names = [partOf(target), path, path.split('/').slice(0, 2).join('/')]
  return names.some((name) => forms.some((form) => mayImport[part]?.includes(form + name)))
}

const sources = sourcesIn('src')
const crossing = sources.flatMap((source) => {
  const part = partOf(source.path)
  const own = importsOf(source).filter((it) => it.target.startsWith('src/') && partOf(it.target) !== part)
  return own.filter((it) => !isAllowed(part, it)).map((it) => ({ part, text: `${source.path} -> ${it.target}` }))
})

test.each(Object.keys(mayImport))('%s imports only what it may', (part) => {
  const wrong = crossing.filter((it) => it.part === part && !known.includes(it.text))
  expect(
    wrong.map((it) => it.text),
    `Imports against the layers of docs/architecture.md. src/${part} may import: ${mayImport[part]?.join(', ') || 'nothing'}`,
  ).toEqual([])
})

test('every part of src is in the table', () => {
  const parts = new Set(sources.map((it) => partOf(it.path)))
  expect(
    [...parts].filter((it) => !(it in mayImport)),
    'Parts without a line in mayImport of this file',
  ).toEqual([])
})

test('imports that were fixed leave the list of exceptions', () => {
  expect(known.filter((it) => !crossing.some(({ text }) => text === it))).toEqual([])
})

test('sources import nothing above src except the manifest', () => {
  const outside = sources.flatMap((source) => importsOf(source).map((it) => ({ from: source.path, ...it })))
  expect(
    outside.filter((it) => /^(\.\.|test|scripts|bin|dist)\b/.test(it.target) && it.target !== 'package.json'),
  ).toEqual([])
})

/** Where a query is built: `query.selectFrom(...)` and the like, or the `sql` of Kysely. */
const queries = sources.flatMap((source) => {
  const found: string[] = []
  if (importsOf(source).some((it) => it.target === 'kysely' && it.kind !== 'type')) found.push(source.path)
  walk(source.program, (node) => {
    if (node.type !== 'MemberExpression' || !isNode(node.property)) return
    const name = String(node.property.name)
    if (/^(selectFrom|insertInto|updateTable|deleteFrom|replaceInto|mergeInto|executeQuery)$/.test(name))
      found.push(place(source, node))
  })
  return found
})

test('only repositories query the database; local providers query the tables of what they simulate', () => {
  expect(queries.length).toBeGreaterThan(200)
  expect(
    queries.filter((it) => !/^src\/(store|providers)\//.test(it)),
    'Queries outside a repository. Move them to src/store and call them from the service',
  ).toEqual([])
})
