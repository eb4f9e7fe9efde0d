import { expect, test } from 'vitest'
import { importsOf, type Source, sourcesIn } from '../support/sources.ts'

/** Packages a plain command does not need: each costs more than a command's own work when it is loaded up front. */
const heavy =
  /^(undici|@inquirer\/|ora$|conf$|yaml$|cli-table3$|execa$|pg$|kysely$|chalk$|libphonenumber-js|openai|nodemailer|pino|csv-|croner|quickjs)/

const sources = new Map(sourcesIn('src').map((it) => [it.path, it]))

const fix = 'Load these with import() where they are used: a command loads only what it needs'

/** Everything that is loaded as soon as `path` is: static imports only. */
function loadedWith(path: string, seen = new Map<string, string>(), by = ''): Map<string, string> {
  if (seen.has(path)) return seen
  seen.set(path, by)
  const source: Source | undefined = sources.get(path)
  if (source) for (const { target, kind } of importsOf(source)) if (kind === 'static') loadedWith(target, seen, path)
  return seen
}

test.each(['src/entry.ts', 'src/platform.ts', 'src/cli/reference/completion/complete.ts'])(
  '%s loads no heavy package before it is used',
  (entry) => {
    expect(sources.has(entry), entry).toBe(true)
    expect(
      [...loadedWith(entry)].filter(([target]) => heavy.test(target)).map(([target, by]) => `${by} -> ${target}`),
      fix,
    ).toEqual([])
  },
)

const commandFiles = [...sources.keys()].filter((it) => it.startsWith('src/cli/nouns/'))

test('no command loads a heavy package, nor the platform, before it is run', () => {
  expect(commandFiles.length).toBeGreaterThan(100)
  const found = commandFiles.flatMap((file) =>
    [...loadedWith(file)]
      .filter(
        ([target]) =>
          heavy.test(target) ||
          target === 'src/platform/compose.ts' ||
          target === 'src/platform/store/database/open-store.ts',
      )
      .map(([target, by]) => `${file}: ${by} -> ${target}`),
  )
  expect(found, fix).toEqual([])
})

test('the built-in platform loads neither cryptography nor a server before they are needed', () => {
  expect(sources.has('src/platform/compose.ts')).toBe(true)
  expect(
    [...loadedWith('src/platform/compose.ts')]
      .filter(([target]) => /^(node:(crypto|http|https|net|tls)|pg)$/.test(target))
      .map(([target, by]) => `${by} -> ${target}`),
    fix,
  ).toEqual([])
})

test('a completion loads neither commander nor zod', () => {
  expect(sources.has('src/cli/reference/completion/complete.ts')).toBe(true)
  expect(
    [...loadedWith('src/cli/reference/completion/complete.ts').keys()].filter(
      (it) => it === 'commander' || it === 'zod',
    ),
  ).toEqual([])
})

test('zod is only imported by the module that lists what is used of it', () => {
  const direct = [...sources.values()].filter((source) =>
    importsOf(source).some(({ target, kind }) => target === 'zod' && kind === 'static'),
  )
  expect(
    direct.map((it) => it.path),
    "Write: import * as z from '.../contract/schema/schema.ts'",
  ).toEqual(['src/contract/schema/schema.ts'])
})
