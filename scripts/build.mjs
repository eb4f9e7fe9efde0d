// Builds dist/: the program as minified CommonJS, split so that a command loads only what it uses.
import { createHash } from 'node:crypto'
import { existsSync, mkdirSync, readdirSync, readFileSync, renameSync, rmSync, writeFileSync } from 'node:fs'
import { createRequire } from 'node:module'
import { basename, join, resolve } from 'node:path'
import { argv, exit, pid, stderr } from 'node:process'
import { fileURLToPath } from 'node:url'
import { brotliCompressSync, constants, gzipSync } from 'node:zlib'
import { rolldown } from 'rolldown'
import { chunksOf, refuseCycles } from './chunks.mjs'
import { declarations } from './declarations.mjs'
import { buildInspectorPage } from './inspector-page.mjs'
import { thirdPartyLicences } from './licences.mjs'

const ENTRIES = {
  main: 'src/entry.ts',
  'test-platform': 'src/platform.ts',
  client: 'src/typed-client.ts',
  jest: 'src/testing/jest.ts',
  complete: 'src/cli/reference/completion/complete.ts',
  sandbox: 'src/engine/sandbox/worker.mjs',
  jq: 'src/node/jq-thread.mjs',
}

/** Files that run code of automations, read for the first code step of a process. Compressed, they are less than half as large. */
const ASSETS = ['quickjs.wasm', 'encoding.so', 'url.so', 'crypto.so'].map((it) => `quickjs-wasi/${it}`)

/**
 * Not bundled: native modules that npm installs next to the program, and modules that packages import only on other
 * runtimes or if they are installed.
 */
const EXTERNAL = [/^@libsql\//, 'pg-native', 'cloudflare:sockets']

/**
 * Commander can run commands that are separate programs. Parley has none, and loading child_process takes as long as
 * reading all of commander.
 */
const withoutPrograms = {
  name: 'without-programs',
  transform(code, id) {
    if (!/[\\/]commander[\\/]lib[\\/]command\.js$/.test(id)) return null
    const early = "const childProcess = require('node:child_process');"
    if (!code.includes(early)) throw new Error(`${id} does not load child_process as it used to: see withoutPrograms`)
    return {
      code: code.replace(
        early,
        "const childProcess = { spawn: (...args) => require('node:child_process').spawn(...args) };",
      ),
      map: null,
    }
  },
}

/** Packages that the platform runs in the process of a test, and that use timers. */
const TIMED = /[\\/]node_modules[\\/](?:undici|nodemailer|pg|pg-[\w-]+)[\\/]/

/** Lets packages use the timers of the machine, also in a test with fake ones, as the sources do. */
const withRealTime = (root) => ({
  name: 'with-real-time',
  transform(code, id) {
    const names = ['setTimeout', 'clearTimeout', 'setInterval', 'clearInterval', 'setImmediate', 'clearImmediate']
    const used = TIMED.test(id) ? names.filter((it) => new RegExp(`(?<![\\w.])${it}\\(`).test(code)) : []
    if (used.length === 0) return null
    const module = JSON.stringify(join(root, 'src/node/real-time.ts'))
    const load = /^(?:import|export)\b/m.test(code)
      ? `import { realTime } from ${module}`
      : `const { realTime } = require(${module})`
    // In the line of the first statement, so that lines do not change.
    const text = `${load}; const { ${used.join(', ')} } = realTime; `
    return {
      code: code.startsWith("'use strict'") ? code.replace("'use strict'", `'use strict'; ${text}`) : text + code,
      map: null,
    }
  },
})

/** File of jq that contains its WebAssembly module as text. */
const jqGlue = 'jq-wasm/dist/build/jq.js'

/** Separates the WebAssembly module of jq from the code that loads it. Compressed, it is a fifth as large. */
function jqModule(code) {
  const [, text] = /"data:application\/octet-stream;base64,([A-Za-z0-9+/=]+)"/.exec(code) ?? []
  if (!text) throw new Error(`${jqGlue} does not contain its module as it used to: see jqModule`)
  return { wasm: Buffer.from(text, 'base64'), code: code.replace(text, '') }
}

const withoutJqModule = {
  name: 'without-jq-module',
  transform: (code, id) =>
    /[\\/]jq-wasm[\\/]dist[\\/]build[\\/]jq\.js$/.test(id) ? { code: jqModule(code).code, map: null } : null,
}

/**
 * Modules that packages import for features that are not used here, by package. Proxied requests use HTTP/1.1 with text
 * bodies, and SOCKS is rejected earlier.
 */
const UNREACHED = {
  // Schemas and migrations of settings.
  conf: ['ajv/dist/2020.js', 'ajv-formats', 'semver'],
  // Attachments, names of mail services, sign-in with OAuth, and everything that sends mail except one SMTP connection.
  nodemailer: [
    './mime-types.js',
    '../mime-funcs/mime-types.js',
    '../well-known/index.js',
    '../xoauth2/index.js',
    './smtp-pool/index.js',
    './ses-transport/index.js',
    './sendmail-transport/index.js',
    './stream-transport/index.js',
    './json-transport/index.js',
  ],
  // Source maps, Flow, React, Jest and CommonJS: only types are removed.
  sucrase: [
    '@jridgewell/gen-mapping',
    '../plugins/flow',
    './flow',
    './CJSImportProcessor',
    './CJSImportTransformer',
    './FlowTransformer',
    './JestHoistTransformer',
    './ReactDisplayNameTransformer',
    './ReactHotLoaderTransformer',
  ],
  // Its default validator of JSON Schema. The server of tools names another.
  '@modelcontextprotocol': ['./ajvProvider-DyjnscPj.mjs'],
  // HTTP/2, SOCKS, form data, and the variant of the parser with vector instructions, in whose place undici takes the other.
  undici: ['./client-h2.js', './socks5-proxy-agent', '../web/fetch/body.js', '../llhttp/llhttp_simd-wasm.js'],
}

/** Removes UNREACHED from the bundle: 530 kB that no command runs. */
function withoutUnreached() {
  const left = new Set(Object.entries(UNREACHED).flatMap(([name, modules]) => modules.map((it) => `${it} of ${name}`)))
  return {
    name: 'without-unreached',
    resolveId(source, importer) {
      const [, name] = /[\\/]node_modules[\\/]([^\\/]+)[\\/](?!.*[\\/]node_modules[\\/])/.exec(importer ?? '') ?? []
      if (!Object.hasOwn(UNREACHED, name ?? '') || !UNREACHED[name].includes(source)) return null
      left.delete(`${source} of ${name}`)
      return `\0unreached:${source}`
    },
    load: (id) => (id.startsWith('\0unreached:') ? 'module.exports = {}' : null),
    buildEnd() {
      if (left.size > 0) throw new Error(`not imported as before: ${[...left].join(', ')}. See UNREACHED`)
    },
  }
}

/**
 * Warning that a lazy import has no effect, because another import loads the module anyway. Not an error, but worth
 * checking with the sizes.
 */
const IN_VAIN = 'INEFFECTIVE_DYNAMIC_IMPORT'

/** Warnings that mean a broken program and not a remark about the source of a package. */
const FATAL = new Set(['UNRESOLVED_IMPORT', 'MISSING_EXPORT', 'CIRCULAR_CHUNK', 'UNRESOLVED_ENTRY'])

/**
 * Bundles the sources of `root` into its dist/. The folder is replaced in one step, so that a failed build leaves the
 * last good one. Resolves to the chunks written: `{ file, bytes, modules }` with absolute module paths. `remark`
 * receives harmless warnings.
 */
export async function build(root, remark = () => {}) {
  const dist = join(root, 'dist')
  const fresh = join(root, `dist.${pid}.tmp`)
  const manifest = JSON.parse(readFileSync(join(root, 'package.json'), 'utf8'))
  try {
    const chunks = await bundle(root, fresh, manifest, remark)
    const page = await buildInspectorPage(root, join(fresh, 'inspector'))
    const write = (name, text) => writeFileSync(join(fresh, name), text)
    write('package.json', '{"type":"commonjs"}\n')
    write('version.js', `module.exports=${JSON.stringify(manifest.version)}\n`)
    write('platform.d.ts', declarations(join(root, ENTRIES['test-platform'])))
    write('jest.d.ts', declarations(join(root, ENTRIES.jest)))
    for (const name of ['vitest.mjs', 'vitest.d.mts'])
      write(
        name,
        readFileSync(join(root, 'src/testing', name), 'utf8').replaceAll(`${manifest.name}/platform`, './platform.js'),
      )
    write('client.d.ts', declarations(join(root, ENTRIES.client)))
    write('client-types.d.ts', declarations(join(root, 'src/generated/client-types.ts')))
    write('platform.js', platformEntry(readFileSync(join(root, 'bin/parley.js'), 'utf8')))
    write('THIRD-PARTY-LICENSES.txt', thirdPartyLicences([...chunks.flatMap((it) => it.modules), ...page]))
    const { resolve: find } = createRequire(join(root, 'package.json'))
    for (const asset of ASSETS)
      writeFileSync(join(fresh, `${basename(asset)}.br`), brotliCompressSync(readFileSync(find(asset))))
    writeFileSync(join(fresh, 'jq.wasm.br'), brotliCompressSync(jqModule(readFileSync(find(jqGlue), 'utf8')).wasm))
    // One line for each command, of which `parley commands` reads those that are asked for.
    const descriptions = readFileSync(join(root, 'src/generated/commands.ndjson'))
    write('commands.ndjson.br', brotliCompressSync(descriptions, { params: { [constants.BROTLI_PARAM_QUALITY]: 9 } }))
    for (const name of ['openapi.json', 'control-openapi.json']) {
      const document = join(root, 'test/golden', name)
      // Only programs read it. Without whitespace it is half as large.
      if (existsSync(document)) write(name, JSON.stringify(JSON.parse(readFileSync(document, 'utf8'))))
    }
    compressManPages(join(root, 'man'), join(fresh, 'man'))
    rmSync(dist, { recursive: true, force: true })
    renameSync(fresh, dist)
    return chunks
  } finally {
    rmSync(fresh, { recursive: true, force: true })
  }
}

/**
 * Returns the entry file of the package for other programs. It loads the program as bin/parley.js does, with the same
 * compiled code. The assignment of `exports` lets ES modules import by name.
 */
function platformEntry(program) {
  const [, loader] = /^\/\/ -- loader --\n(.*)^\/\/ -- end of the loader --$/ms.exec(program) ?? []
  if (!loader) throw new Error('bin/parley.js has no part that is marked as the loader')
  return `'use strict'
var fs = require('fs')
var dist = __dirname.replace(/\\\\/g, '/') + '/'
var loadFile = loaderOf(fs, require('vm'), dist, createCodeCache(fs, load))
function load(name) {
  return loadFile(dist + name + '.js')
}
// Loaded now, before a test can install fake timers. It loads the platform at the first call.
exports.startPlatform = load('test-platform').startPlatform

${loader}`
}

/** Compresses man pages, as `man` reads them and the package ships them, to a third of their size. */
function compressManPages(from, to) {
  if (!existsSync(from)) return
  mkdirSync(to)
  for (const page of readdirSync(from))
    writeFileSync(join(to, `${page}.gz`), gzipSync(readFileSync(join(from, page)), { level: 9 }))
}

async function bundle(root, dir, manifest, remark) {
  mkdirSync(dir, { recursive: true })
  const bundled = await rolldown({
    cwd: root,
    input: ENTRIES,
    platform: 'node',
    resolve: { alias: { sucrase: 'sucrase/dist/esm/index.js' } },
    external: EXTERNAL,
    plugins: [withoutPrograms, withoutUnreached(), withoutJqModule, withRealTime(root)],
    preserveEntrySignatures: 'allow-extension',
    transform: {
      target: 'node20.18',
      define: {
        'process.env.NODE_ENV': '"production"',
        PARLEY_VERSION: JSON.stringify(manifest.version),
        PARLEY_SCHEMA: JSON.stringify(hashOf(join(root, 'src/platform/store'))),
      },
    },
    onLog(level, log, handle) {
      if (FATAL.has(log.code)) handle('error', log)
      else if (log.code === IN_VAIN) remark(log.message)
      else if (level === 'warn' && !log.id?.includes('node_modules')) handle(level, log)
    },
  })
  try {
    const { output } = await bundled.write({
      dir,
      format: 'cjs',
      exports: 'named',
      minify: true,
      comments: false,
      chunkFileNames: 'chunks/[name]-[hash].js',
      // An import() of a built-in module would also start the loader of ES modules.
      dynamicImportInCjs: false,
      codeSplitting: chunksOf(root, ENTRIES),
    })
    const chunks = output.filter((it) => it.type === 'chunk')
    refuseCycles(chunks)
    for (const { fileName, code } of chunks) writeFileSync(join(dir, fileName), stamped(ascii(shortened(code))))
    return chunks.map((it) => ({ file: it.fileName, bytes: Buffer.byteLength(it.code), modules: it.moduleIds }))
  } finally {
    await bundled.close()
  }
}

/** Returns a hash of the files in a folder. It changes whenever the schema does. */
function hashOf(folder) {
  const hash = createHash('sha256')
  for (const file of readdirSync(folder, { recursive: true }).toSorted())
    if (file.endsWith('.ts')) hash.update(readFileSync(join(folder, file)))
  return hash.digest('hex').slice(0, 16)
}

/**
 * Shortens functions that only load an export, of which the table of commands has one for each command: an asynchronous
 * function needs no promise around `require`.
 */
const shortened = (code) =>
  code.replace(
    /async\(\)=>\(await Promise\.resolve\(\)\.then\(\(\)=>(require\("[^"]+"\))\)(?:\.then\((\w+)=>\2\.(\w+)\))?\)\.(\w+)/g,
    (_, loaded, __, part, name) => `async()=>${loaded}${part ? `.${part}` : ''}.${name}`,
  )

/**
 * Escapes all other characters, because V8 stores an ASCII text in half the space and need not decode it. They occur
 * only in literals.
 */
const ascii = (code) => code.replace(/[^\0-\x7f]/g, (unit) => `\\u${unit.charCodeAt(0).toString(16).padStart(4, '0')}`)

/** Appends a hash of the content, for files whose name has none: the compile cache uses it. */
const stamped = (code) => `${code.trimEnd()}\n// ${createHash('sha256').update(code).digest('hex').slice(0, 16)}\n`

function report(chunks) {
  const kB = (bytes) => `${(bytes / 1000).toFixed(1)} kB`.padStart(10)
  for (const { file, bytes } of chunks.toSorted((a, b) => b.bytes - a.bytes)) stderr.write(`${kB(bytes)}  ${file}\n`)
  stderr.write(`${kB(chunks.reduce((sum, it) => sum + it.bytes, 0))}  in ${chunks.length} files\n`)
}

if (basename(argv[1] ?? '') === 'build.mjs') {
  const root = resolve(argv.slice(2).find((it) => !it.startsWith('-')) ?? join(fileURLToPath(import.meta.url), '../..'))
  try {
    const sizes = argv.includes('--sizes')
    const chunks = await build(root, sizes ? (text) => stderr.write(`${text}\n`) : undefined)
    if (sizes) report(chunks)
  } catch (error) {
    stderr.write(`build: ${error.message}\n`)
    exit(1)
  }
}
