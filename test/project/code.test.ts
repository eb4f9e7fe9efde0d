import { readdirSync } from 'node:fs'
import { describe, expect, test } from 'vitest'
import { filesIn, importsOf, isVariable, place, read, root, sourcesIn, walk } from '../support/sources.ts'

const sources = sourcesIn('src')
const code = filesIn('src', 'test', 'scripts', 'bin').filter((it) => !/^test\/(golden|wire|fixtures)\//.test(it))

/** Whether a name comes from an import, such as `performance` of node:perf_hooks. */
const isImported = (source: { readonly text: string }, name: string): boolean =>
  new RegExp(`^import \\{[^}]*\\b${name}\\b[^}]*\\}`, 'm').test(source.text)

describe('names', () => {
  test('no file or folder has a catch-all name', () => {
    expect(
      code.filter((path) =>
        path.split('/').some((part) => /^(utils?|helpers?|common|misc|types?|lib)(\.|$)/.test(part)),
      ),
      'Name the file after its main export, and the folder after its topic',
    ).toEqual([])
  })

  test('files and folders are written in kebab-case', () => {
    const kebab = /^[a-z0-9]+(-[a-z0-9]+)*(\.[a-z0-9]+)*$/
    expect(code.filter((path) => !path.split('/').every((part) => part === 'README.md' || kebab.test(part)))).toEqual(
      [],
    )
  })
})

describe('the process', () => {
  /** Files of the product that may ask the process itself: what cannot come through the System. */
  const mayUseProcess = [
    'src/system.ts',
    // Starts where there is no System: in other people's tests, and as a script of ours.
    'src/testing/start-test-platform.ts',
    'src/open-typed-client.ts',
    'src/cli/program/start-again.ts',
    'src/generate/run.ts',
    // Files of the executable, and what differs between systems.
    'src/node/bundle-file.ts',
    'src/node/operating-system.ts',
    'src/node/crypto.ts',
    // A lock of a file names the process that holds it.
    'src/node/process-identity.ts',
    'src/node/real-time.ts',
    'src/node/temporary-folder.ts',
    'src/node/trace.ts',
    'src/platform/store/sqlite/sqlite-driver.ts',
    'src/platform/store/sqlite/libsql-driver.ts',
    'src/platform/store/sqlite/sqlite-driver.ts',
    'src/platform/store/postgres/connect.ts',
  ]

  /** Where a global of the runtime is used, or imported from the module that stands for it. */
  const uses = (name: string): { path: string; where: string }[] =>
    sources.flatMap((source) => {
      const imported = importsOf(source).filter((it) => it.target === `node:${name}` && it.kind !== 'type')
      const found = imported.map(() => ({ path: source.path, where: source.path }))
      walk(source.program, (node, parent) => {
        if (isVariable(node, parent) && node.name === name)
          found.push({ path: source.path, where: place(source, node) })
      })
      return found
    })

  test('is used only by system.ts, the entries and the database drivers', () => {
    expect(
      uses('process')
        .filter((it) => !mayUseProcess.includes(it.path))
        .map((it) => it.where),
      'Take what the process offers from System (src/cli/program/system.ts), which the context of a command has',
    ).toEqual([])
  })

  test('a file that no longer uses it leaves the list', () => {
    const users = new Set(uses('process').map((it) => it.path))
    expect(mayUseProcess.filter((it) => !users.has(it))).toEqual([])
  })

  test('timers and the time of the machine come from src/node/real-time.ts, because a test may install fake ones', () => {
    // Browsers run the page of the inspector.
    const own = sources.filter(
      (it) => it.path !== 'src/node/real-time.ts' && !it.path.startsWith('src/inspector/page/'),
    )
    const timers = /^(?:set|clear)(?:Timeout|Interval|Immediate)$|^(?:queueMicrotask|performance)$/
    const found = own.flatMap((source) => {
      const places = importsOf(source)
        .filter((it) => it.target.startsWith('node:timers') && it.kind !== 'type')
        .map(() => source.path)
      walk(source.program, (node, parent) => {
        const code = source.text.slice(node.start, node.end)
        const isTimer =
          (isVariable(node, parent) && timers.test(String(node.name)) && !isImported(source, String(node.name))) ||
          (node.type === 'MemberExpression' &&
            /^(?:Date\.now|AbortSignal\.timeout|process\.(?:nextTick|hrtime))$/.test(code)) ||
          (node.type === 'NewExpression' && /^new Date\(\s*\)$/.test(code)) ||
          (node.type === 'CallExpression' && /^Date\(/.test(code))
        if (isTimer) places.push(place(source, node))
      })
      return places
    })
    expect(found, 'Use realTime of src/node/real-time.ts, or the clock of the platform').toEqual([])
  })

  test('folders are created in the one way that fails properly where none can be created', () => {
    const making = sources.filter((it) => /\bmkdir(Sync)?\b/.test(it.text)).map((it) => it.path)
    // What is generated goes into the project itself.
    expect(making).toEqual(['src/generate/generated-files.ts', 'src/node/make-folder.ts'])
  })

  test('nothing writes to the console', () => {
    expect(
      uses('console').map((it) => it.where),
      'Commands write with context.out and context.notes',
    ).toEqual([])
  })
})

describe('JSON', () => {
  test('is parsed and written in the one way that keeps all digits of large integers', () => {
    const users = sources.filter((it) => /\bJSON\.(parse|stringify)\b/.test(it.text)).map((it) => it.path)
    expect(
      users.filter((it) => !/^src\/generated?\//.test(it)),
      'Use parseJson and stringifyJson of src/node/json.ts',
    ).toEqual([
      // The pages of help are constants, and are read with a function for each value.
      'src/cli/reference/help/help-page.ts',
      // A script that runs in the sandbox.
      'src/engine/pieces/text/text-helper.ts',
      'src/node/json.ts',
    ])
  })
})

describe('the repository', () => {
  // In pieces, so that this file does not find itself.
  const workplace = new RegExp(['(?<![\\w.])/wo', 'rk/|\\bsha', 'red/|/tmp/bri', 'ef|registry\\.np', 'mjs'].join(''))

  test('no file names the machine where it was written', () => {
    const top = readdirSync(root, { withFileTypes: true }).filter(
      (it) => it.isFile() && it.name !== '.git' && !it.name.endsWith('.tgz'),
    )
    const texts = [
      ...filesIn('src', 'test', 'scripts', 'bin', 'completions', 'docs', 'spec', '.ci'),
      ...top.map((it) => it.name),
    ]
    expect(texts.filter((path) => workplace.test(read(path)))).toEqual([])
  })

  test('the lockfile has no download URLs, so any registry can be used', () => {
    const { packages } = JSON.parse(read('package-lock.json')) as {
      packages: Record<string, { resolved?: string; link?: boolean }>
    }
    expect(Object.entries(packages).filter(([, entry]) => entry.resolved !== undefined)).toEqual([])
    expect(Object.keys(packages).length).toBeGreaterThan(50)
  })

  test('the lockfile has all packages of a clean install, on any machine', () => {
    const { packages } = JSON.parse(read('package-lock.json')) as {
      packages: Record<string, Record<string, object | undefined>>
    }
    // A package is looked for beside the one that needs it, then further up.
    const isFound = (from: string, name: string): boolean => {
      const places = from.split('/node_modules/').map((_, at, parts) => parts.slice(0, at + 1).join('/node_modules/'))
      return ['', ...places].some((place) => `${place}${place && '/'}node_modules/${name}` in packages)
    }
    const needs = Object.entries(packages).flatMap(([from, entry]) =>
      Object.keys({ ...entry.dependencies, ...entry.optionalDependencies }).map((name) => ({ from, name })),
    )
    expect(needs.filter(({ from, name }) => !isFound(from, name))).toEqual([])
  })

  test('the lockfile has the version and dependencies of the manifest', () => {
    const manifest = JSON.parse(read('package.json')) as Record<string, unknown>
    const { packages } = JSON.parse(read('package-lock.json')) as { packages: Record<string, Record<string, unknown>> }
    for (const field of ['version', 'devDependencies', 'optionalDependencies', 'engines'])
      expect(packages['']?.[field], field).toEqual(manifest[field])
  })

  test('the program is bundled: only native packages are installed', () => {
    const manifest = JSON.parse(read('package.json')) as {
      dependencies?: object
      optionalDependencies: Record<string, string>
    }
    expect(manifest.dependencies).toBeUndefined()
    expect(Object.keys(manifest.optionalDependencies).filter((it) => !it.startsWith('@libsql/'))).toEqual([])
  })
})

test('errors are recognized by shape, because test runners have another Error class than Node', () => {
  const found = sources.filter(
    ({ path, text }) => path !== 'src/node/is-error.ts' && /instanceof (Error|Uint8Array)\b/.test(text),
  )
  expect(found.map((it) => it.path)).toEqual([])
})

test('time limits and combined signals hold their sources, which those of Node lose when the garbage collector runs', () => {
  const found = sources.filter(
    ({ path, text }) => path !== 'src/node/time-limit.ts' && /AbortSignal\.(any|timeout)/.test(text),
  )
  expect(found.map((it) => it.path)).toEqual([])
})
