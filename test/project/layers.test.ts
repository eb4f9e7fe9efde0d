import { expect, test } from 'vitest'
import { type Import, importsOf, sourcesIn } from '../support/sources.ts'

/** What each part may import: other parts, or single files of them. `type:` is erased from the program; `lazy:` is an `import()`, or a type. */
const mayImport: Record<string, readonly string[]> = {
  // The one way folders are made, for everybody.
  'folder.ts': [],
  // The one way a line of an append-only file is read.
  'torn-line.ts': [],
  // Heavy and needed by few: loaded when it is.
  'crypto.ts': [],
  contract: [],
  client: ['contract', 'folder.ts', 'torn-line.ts', 'crypto.ts'],
  store: ['type:contract'],
  events: ['contract', 'store'],
  automation: ['contract', 'store', 'crypto.ts'],
  services: ['contract', 'store', 'events', 'automation', 'crypto.ts'],
  // The local providers keep what they know beside everything else, through a connection they are given.
  providers: [
    'contract',
    'type:services/ports.ts',
    'type:services/connected-ports.ts',
    'type:automation/ports.ts',
    'type:store',
    'crypto.ts',
  ],
  // A handler writes times as the wire has them, and names the rows it translates.
  server: ['contract', 'services', 'events/clock.ts', 'type:store', 'crypto.ts'],
  // Control endpoints are answered like any other.
  control: [
    'contract',
    'services',
    'store',
    'events',
    'automation',
    'providers',
    'type:server',
    'crypto.ts',
    'folder.ts',
  ],
  // What differs between two definitions, what is wrong with one and how it would go is found without a platform: pure parts of the automations.
  cli: [
    'contract',
    'client',
    'folder.ts',
    'torn-line.ts',
    'type:world.ts',
    'lazy:automation/http/addresses.ts',
    'lazy:automation/definition/diff.ts',
    'lazy:automation/definition/lint.ts',
    'lazy:automation/definition/examine.ts',
    'lazy:automation/definition/mask.ts',
    'lazy:automation/definition/call-variables.ts',
    'lazy:automation/definition/touches.ts',
    'lazy:automation/templates/preview.ts',
    'lazy:automation/definition/needs.ts',
    'type:automation/definition/problem.ts',
    'lazy:automation/definition/publish.ts',
    'lazy:automation/run/local-verdict.ts',
    'lazy:automation/run/rehearsal.ts',
    'lazy:automation/triggers/samples.ts',
    'lazy:automation/sandbox/pool.ts',
  ],
  // Tables of test numbers and refusing senders in the docs come from the local providers and the sample data.
  generate: ['contract', 'cli', 'providers/magic.ts', 'providers/channel/recipients.ts', 'control/seed-senders.ts'],
  'start.ts': ['main.ts', 'world.ts', 'folder.ts'],
  'main.ts': ['contract', 'client', 'cli', 'type:world.ts'],
  'world.ts': ['contract', 'client', 'cli', 'lazy:compose.ts', 'lazy:serve.ts'],
  'platform.ts': ['lazy:compose.ts', 'lazy:serve.ts'],
  'serve.ts': ['compose.ts', 'server', 'type:contract'],
  'compose.ts': [
    'contract',
    'client',
    'store',
    'automation',
    'events',
    'services',
    'providers',
    'server',
    'control',
    'crypto.ts',
    'folder.ts',
  ],
}

/** Imports that are against the above and known. This list may only shrink. */
const known: readonly string[] = [
  'src/server/app.ts -> src/store/database/store-error.ts',
  'src/server/middleware/idempotency.ts -> src/store/runtime/idempotency-keys.ts',
  'src/server/middleware/request-limits.ts -> src/store/runtime/request-limits.ts',
]

/** `src/contract/resources/keys.ts` is part of `contract`; `src/main.ts` stands for itself. */
const partOf = (path: string): string => path.split('/')[1] ?? ''

function isAllowed(part: string, { target, kind }: Import): boolean {
  const forms = kind === 'type' ? ['', 'type:', 'lazy:'] : kind === 'lazy' ? ['', 'lazy:'] : ['']
  const names = [partOf(target), target.replace('src/', '')]
  return names.some((name) => forms.some((form) => mayImport[part]?.includes(form + name)))
}

const sources = sourcesIn('src')
const crossing = sources.flatMap((source) => {
  const part = partOf(source.path)
  const own = importsOf(source).filter((it) => it.target.startsWith('src/') && partOf(it.target) !== part)
  return own.filter((it) => !isAllowed(part, it)).map((it) => ({ part, text: `${source.path} -> ${it.target}` }))
})

test.each(Object.keys(mayImport))('%s imports only what it may', (part) => {
  expect(crossing.filter((it) => it.part === part && !known.includes(it.text)).map((it) => it.text)).toEqual([])
})

test('every part of src is in the table', () => {
  const parts = new Set(sources.map((it) => partOf(it.path)))
  expect([...parts].filter((it) => !(it in mayImport))).toEqual([])
})

test('imports that are known to be wrong leave the list once they are mended', () => {
  expect(known.filter((it) => !crossing.some(({ text }) => text === it))).toEqual([])
})

test('no file is reached past its package: sources import nothing above src but the manifest', () => {
  const outside = sources.flatMap((source) => importsOf(source).map((it) => ({ from: source.path, ...it })))
  expect(
    outside.filter((it) => /^(\.\.|test|scripts|bin|dist)\b/.test(it.target) && it.target !== 'package.json'),
  ).toEqual([])
})
