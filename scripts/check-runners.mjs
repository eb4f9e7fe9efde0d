// Packs the program and uses its test platform in every test runner, package manager and module system that teams use:
// node scripts/check-runners.mjs [name...]. dist/ must be built. It needs the npm registry.
import { execFile } from 'node:child_process'
import { copyFileSync, mkdirSync, mkdtempSync, readFileSync, rmSync, writeFileSync } from 'node:fs'
import { tmpdir } from 'node:os'
import { join, resolve } from 'node:path'
import { argv, env, execPath, exit, stderr, stdout } from 'node:process'
import { fileURLToPath } from 'node:url'
import { pack } from './pack.mjs'

const root = resolve(fileURLToPath(import.meta.url), '../..')
const runners = join(root, 'test/runners')

/** Packages that a runner needs, the files of its test, and the command that runs it. */
const RUNNERS = [
  { name: 'node:test', files: ['node.test.mjs'], run: ['node', '--test', 'node.test.mjs'] },
  {
    name: 'CommonJS',
    files: [],
    run: ['node', '-e', "require('./scenario.cjs')(require('parley-cli/platform').startPlatform)"],
  },
  { name: 'documentation with node:test', files: [], run: ['node', '--test'], documented: 'node:test' },
  { name: 'documentation with pytest', files: [], run: ['pytest', '-q'], documented: 'pytest', program: 'pytest' },
  { name: 'documentation with Go', files: [], run: ['go', 'test'], documented: 'go test', program: 'go' },
  {
    name: 'documentation with Jest',
    packages: ['jest@30'],
    files: [],
    run: ['jest', '--testMatch', '**/*.test.cjs'],
    documented: 'Jest',
  },
  {
    name: 'documentation with vitest',
    packages: ['vitest@4'],
    files: [],
    run: ['vitest', 'run'],
    documented: 'vitest',
  },
  {
    name: 'Jest 30',
    packages: ['jest@30'],
    files: ['jest.test.cjs'],
    run: ['jest', '--testMatch', '**/jest.test.cjs'],
  },
  ...['threads', 'forks', 'vmThreads', 'vmForks'].map((pool) => ({
    name: `vitest ${pool}`,
    packages: ['vitest@4'],
    files: ['vitest.test.mjs'],
    run: ['vitest', 'run', '--pool', pool],
  })),
  { name: 'Mocha', packages: ['mocha@11'], files: ['mocha.cjs'], run: ['mocha', 'mocha.cjs'] },
  { name: 'AVA', packages: ['ava@6'], files: ['ava.mjs'], run: ['ava', 'ava.mjs'] },
  { name: 'Bun', packages: ['bun@1'], files: ['bun.test.mjs'], run: ['bun', 'test', './bun.test.mjs'] },
  {
    name: 'Deno',
    packages: ['deno@2'],
    files: ['deno.test.mjs'],
    run: ['deno', 'test', '-A', '--no-check', '--node-modules-dir=manual', 'deno.test.mjs'],
  },
  {
    name: 'fake timers of vitest',
    packages: ['vitest@4'],
    files: ['fake-timers.cjs', 'fake-timers.vitest.test.mjs'],
    run: ['vitest', 'run'],
  },
  {
    name: 'fake timers of Jest',
    packages: ['jest@30'],
    files: ['fake-timers.cjs', 'fake-timers.jest.test.cjs'],
    run: ['jest', '--testMatch', '**/fake-timers.jest.test.cjs'],
  },
  {
    name: 'fake timers of sinon',
    packages: ['sinon@22', 'mocha@11'],
    files: ['fake-timers.cjs', 'fake-timers.sinon.cjs'],
    run: ['mocha', 'fake-timers.sinon.cjs'],
  },
  {
    name: 'fake timers of node:test',
    files: ['fake-timers.cjs', 'fake-timers.node.test.mjs'],
    run: ['node', '--test', 'fake-timers.node.test.mjs'],
  },
  ...['node10', 'node16', 'bundler'].map((resolution) => ({
    name: `TypeScript, moduleResolution ${resolution}`,
    packages: ['typescript@5', '@types/node@20'],
    files: ['typed-options.ts'],
    run: [
      'tsc',
      '--noEmit',
      '--strict',
      '--target',
      'es2022',
      ...['--types', 'node', '--module', resolution === 'node16' ? 'node16' : 'es2022'],
      ...['--moduleResolution', resolution],
      'typed-options.ts',
    ],
  })),
  { name: 'Yarn Plug’n’Play', packages: ['@yarnpkg/cli-dist@4'], files: ['node.test.mjs'], isYarn: true },
]

/** Runs a program. Resolves to its exit code and its output. */
const execute = (file, args, cwd, more = {}) =>
  new Promise((done) => {
    const options = { cwd, env: { ...env, ...more }, maxBuffer: 64e6, timeout: 600_000 }
    execFile(file, args, options, (error, out, problems) =>
      done({ code: error ? (error.code ?? 1) : 0, text: out + problems }),
    )
  })

const npm = (args, cwd) => execute('npm', [...args, '--no-audit', '--no-fund', '--prefer-offline'], cwd)

/** Installs with Yarn, without node_modules. Resolves to the answer of the command that failed, or of the last one. */
async function tryYarn(folder, tarball) {
  const yarn = join(folder, 'node_modules/@yarnpkg/cli-dist/bin/yarn.js')
  const project = join(folder, 'pnp')
  mkdirSync(project)
  for (const file of ['scenario.cjs', 'node.test.mjs']) copyFileSync(join(runners, file), join(project, file))
  writeFileSync(join(project, 'package.json'), '{"private":true}\n')
  writeFileSync(join(project, 'yarn.lock'), '')
  const { text } = await execute('npm', ['config', 'get', 'registry', '--silent'], folder)
  writeFileSync(
    join(project, '.yarnrc.yml'),
    `nodeLinker: pnp\nenableGlobalCache: false\nenableTelemetry: false\nnpmRegistryServer: ${JSON.stringify(text.trim().split('\n')[0])}\n`,
  )
  for (const args of [
    ['add', `parley-cli@file:${tarball}`],
    ['node', '--test', 'node.test.mjs'],
  ]) {
    const answer = await execute(execPath, [yarn, ...args], project, { YARN_ENABLE_IMMUTABLE_INSTALLS: 'false' })
    if (answer.code !== 0) return answer
  }
  return { code: 0, text: '' }
}

/** Writes the examples of the documentation for a runner: blocks that begin with their file name and the runner. */
function writeExamples(runner, folder) {
  const page = readFileSync(join(root, 'docs/testing-with-parley.md'), 'utf8')
  const blocks = [...page.matchAll(/^```\w+\n(?:\/\/|#) (\S+) \((.+)\)\n([\s\S]*?)^```$/gm)].filter(
    (it) => it[2] === runner,
  )
  if (blocks.length === 0) throw new Error(`docs/testing-with-parley.md has no example for ${runner}`)
  for (const [, file, , text] of blocks) writeFileSync(join(folder, file), text)
}

async function tryRunner(runner, tarball, folder) {
  const { files, packages = [], run, isYarn, documented } = runner
  mkdirSync(folder)
  if (documented) writeExamples(documented, folder)
  writeFileSync(join(folder, 'package.json'), '{"private":true}\n')
  for (const file of ['scenario.cjs', ...files]) copyFileSync(join(runners, file), join(folder, file))
  const installed = await npm(['install', ...(isYarn ? [] : [tarball]), ...packages], folder)
  if (installed.code !== 0) return { ...installed, isMissing: true }
  if (isYarn) return tryYarn(folder, tarball)
  const [program, ...args] = run
  if (runner.program) {
    if (program === 'go') writeFileSync(join(folder, 'go.mod'), 'module clinic\n')
    return execute(program, args, folder)
  }
  return program === 'node'
    ? execute(execPath, args, folder)
    : execute(join(folder, 'node_modules/.bin', program), args, folder)
}

const names = argv.slice(2)
const unknown = names.filter((it) => !RUNNERS.some(({ name }) => name === it))
if (unknown.length > 0) {
  stderr.write(`Unknown runner ${unknown[0]}. Choose from: ${RUNNERS.map((it) => it.name).join(', ')}\n`)
  exit(2)
}
const folder = mkdtempSync(join(tmpdir(), 'parley-runners-'))
let failed = 0
let skipped = 0
const chosen = RUNNERS.filter(({ name }) => names.length === 0 || names.includes(name))
try {
  const tarball = join(folder, pack(root, folder).filename)
  for (const [n, runner] of chosen.entries()) {
    if (runner.program && (await execute(runner.program, ['--help'], folder)).code !== 0) {
      skipped += 1
      stdout.write(`not tried, because ${runner.program} is not installed: ${runner.name}\n`)
      continue
    }
    const { code, text, isMissing } = await tryRunner(runner, tarball, join(folder, String(n)))
    if (isMissing) {
      skipped += 1
      stdout.write(`not tried, because npm could not install it: ${runner.name}\n${text.trim()}\n\n`)
      continue
    }
    if (code !== 0) failed += 1
    stdout.write(code === 0 ? `ok     ${runner.name}\n` : `FAILED ${runner.name}: exit ${code}\n${text.trim()}\n\n`)
  }
} finally {
  rmSync(folder, { recursive: true, force: true })
}
stdout.write(`runners: ${chosen.length - failed - skipped} good, ${failed} wrong, ${skipped} not tried\n`)
exit(failed > 0 || skipped === chosen.length ? 1 : 0)
