import { execFileSync } from 'node:child_process'
import { createHash } from 'node:crypto'
import { chmodSync, existsSync, mkdirSync, readFileSync, symlinkSync, writeFileSync } from 'node:fs'
import { createServer } from 'node:http'
import type { AddressInfo } from 'node:net'
import { basename, dirname, join } from 'node:path'
import { expect, test } from 'vitest'
import { parse } from 'yaml'
import { afterFile } from '../support/cleanup.ts'
import { bin, newFolder, newPlace, parley, run } from './support/built-program.ts'

const root = join(import.meta.dirname, '../..')
const action = parse(readFileSync(join(root, 'action.yml'), 'utf8')) as {
  inputs: Record<string, { default: string }>
  runs: { steps: { id?: string; uses?: string; env?: Record<string, string>; run?: string }[] }
}
const { name, version } = JSON.parse(readFileSync(join(root, 'package.json'), 'utf8')) as {
  name: string
  version: string
}

/** A job that uses the action: its checkout has the built program, and `npm` only writes down how it is called. */
function newJob(inputs: Record<string, string> = {}) {
  const at = newPlace()
  const checkout = join(at.dir, 'checkout')
  const programs = join(at.dir, 'programs')
  for (const folder of [checkout, programs]) mkdirSync(folder)
  for (const file of ['package.json', 'package-lock.json']) symlinkSync(join(root, file), join(checkout, file))
  symlinkSync(dirname(bin), join(checkout, 'bin'))
  symlinkSync(join(root, 'scripts'), join(checkout, 'scripts'))
  const calls = join(at.dir, 'npm-calls')
  // Installs a tarball as npm does, without its registry.
  writeFileSync(
    join(programs, 'npm'),
    `#!/bin/sh
echo "$PWD: $*" >> "${calls}"
if [ "$1" = install ]; then
  for tarball; do :; done
  mkdir -p "node_modules/${name}" && tar -xzf "$tarball" --strip-components=1 -C "node_modules/${name}"
  ln -s "${root}/node_modules/@libsql" node_modules/@libsql
  echo '{"dependencies":{"${name}":"file:"}}' > package.json
fi
`,
  )
  for (const name of ['npx', 'pnpm', 'yarn'])
    writeFileSync(join(programs, name), `#!/bin/sh\necho "${name} $*" >> "${calls}"\nexit 1\n`)
  for (const name of ['npm', 'npx', 'pnpm', 'yarn']) chmodSync(join(programs, name), 0o755)
  const values: Record<string, string> = {
    'github.action_path': checkout,
    'github.action_repository': 'clinic/parley',
    ...Object.fromEntries(Object.entries(action.inputs).map(([name, input]) => [`inputs.${name}`, input.default])),
    ...Object.fromEntries(Object.entries(inputs).map(([name, value]) => [`inputs.${name}`, value])),
  }
  const files = Object.fromEntries(
    ['GITHUB_OUTPUT', 'GITHUB_ENV', 'GITHUB_PATH'].map((name) => [name, join(at.dir, name)]),
  )
  return {
    at,
    checkout,
    written: (name: string) => (existsSync(join(at.dir, name)) ? readFileSync(join(at.dir, name), 'utf8') : ''),
    /** Runs the steps up to the first that fails. */
    async steps() {
      let last = { exitCode: 0, stdout: '', stderr: '' }
      let outputsRead = 0
      for (const step of action.runs.steps.filter((it) => it.run !== undefined)) {
        const env = Object.fromEntries(
          Object.entries(step.env ?? {}).map(([name, value]) => [
            name,
            value.replace(/\$\{\{ ([\w.]+) \}\}/, (_, key: string) => values[key] ?? ''),
          ]),
        )
        last = await run('bash', ['-e', '-c', step.run ?? ''], {
          at,
          env: { ...env, ...files, PATH: `${programs}:${at.env.PATH}` },
        })
        if (last.exitCode !== 0) break
        const outputs = existsSync(files.GITHUB_OUTPUT ?? '') ? readFileSync(files.GITHUB_OUTPUT ?? '', 'utf8') : ''
        for (const line of outputs.slice(outputsRead).split('\n').filter(Boolean))
          values[`steps.${step.id}.outputs.${line.slice(0, line.indexOf('='))}`] = line.slice(line.indexOf('=') + 1)
        outputsRead = outputs.length
      }
      return last
    },
  }
}

test('the action of a CI job builds its own checkout, starts a platform, and gives address, key and program to the next steps', async () => {
  const job = newJob()
  expect(await job.steps()).toMatchObject({ exitCode: 0, stderr: '' })
  expect(job.written('npm-calls').split('\n').slice(1, -1)).toEqual([
    `${job.checkout}: ci --ignore-scripts --prefer-offline --no-audit --no-fund`,
    `${job.checkout}: run build --silent`,
  ])
  const [url, key] = /^url=(.+)\nkey=(.+)\n/m.exec(job.written('GITHUB_OUTPUT'))?.slice(1) ?? []
  const dataDir = /^PARLEY_DATA_DIR=(.+)$/m.exec(job.written('GITHUB_ENV'))?.[1] ?? ''
  const { status } = await fetch(`${url}/api/user/me`, { headers: { authorization: `Bearer ${key}` } })
  const found = await run(join(job.written('GITHUB_PATH').trim(), 'parley'), ['--version'], { at: job.at })
  expect(await parley('server stop', { at: job.at, env: { PARLEY_DATA_DIR: dataDir } })).toMatchObject({ exitCode: 0 })
  expect(status).toBe(200)
  expect(found).toMatchObject({ exitCode: 0, stdout: `${version}\n` })
})

let made: { file: string; sha256: string } | undefined

/** Returns a tarball of the built program, and its checksum. */
const newTarball = () => (made ??= packProgram())

function packProgram() {
  const file = join(newFolder(), `${name}-${version}.tgz`)
  const built = join(dirname(bin), '..')
  execFileSync('tar', [
    '-czf',
    file,
    '--transform',
    's,^,package/,',
    '-C',
    built,
    'bin',
    'dist',
    '-C',
    root,
    'package.json',
  ])
  return { file, sha256: createHash('sha256').update(readFileSync(file)).digest('hex') }
}

/** Serves a file. */
async function serveFile(file: string): Promise<string> {
  const server = createServer((_, response) => response.end(readFileSync(file)))
  afterFile(() => server.close())
  await new Promise<void>((done) => server.listen(0, '127.0.0.1', done))
  return `http://127.0.0.1:${(server.address() as AddressInfo).port}/download/${basename(file)}?signature=1`
}

test('the action installs a release tarball with the checksum that is given, from a path or an address', async () => {
  const tarball = newTarball()
  for (const place of [tarball.file, await serveFile(tarball.file)]) {
    const job = newJob({ tarball: place, sha256: tarball.sha256.toUpperCase(), version })
    expect(await job.steps()).toMatchObject({ exitCode: 0, stderr: '' })
    expect(job.written('npm-calls')).not.toMatch(/: (?:ci|run) /)
    expect(job.written('npm-calls')).toMatch(/: install --ignore-scripts .* \S+parley\.tgz\n/)
    expect(job.written('GITHUB_OUTPUT')).toContain(`lock=${tarball.sha256}\n`)
    const dataDir = /^PARLEY_DATA_DIR=(.+)$/m.exec(job.written('GITHUB_ENV'))?.[1] ?? ''
    const found = await run(join(job.written('GITHUB_PATH').trim(), 'parley'), ['--version'], { at: job.at })
    expect(await parley('server stop', { at: job.at, env: { PARLEY_DATA_DIR: dataDir } })).toMatchObject({
      exitCode: 0,
    })
    expect(found).toMatchObject({ exitCode: 0, stdout: `${version}\n` })
  }
})

test.each([
  [
    'another checksum',
    { sha256: 'a'.repeat(64) },
    /::error::The tarball \S+\.tgz has the SHA-256 \w{64}, not a{64}\. .*Nothing was installed/,
  ],
  ['no checksum', {}, /::error::The tarball \S+\.tgz has no checksum to compare it with\. Set the input "sha256"/],
  ['a short checksum', { sha256: 'abc123' }, /has no checksum to compare it with/],
])('the action refuses a tarball with %s by name, and installs nothing', async (_, inputs, message) => {
  const job = newJob({ tarball: newTarball().file, ...inputs })
  const { exitCode, stdout } = await job.steps()
  expect([exitCode, stdout]).toEqual([1, expect.stringMatching(message)])
  expect(job.written('npm-calls')).not.toMatch(/install|ci|build/)
})

test('the action refuses half of a tarball, one that is not there, and one of another version', async () => {
  const tarball = newTarball()
  const half = join(newFolder(), `${name}-${version}.tgz`)
  writeFileSync(half, readFileSync(tarball.file).subarray(0, 100_000))
  expect((await newJob({ tarball: half, sha256: tarball.sha256 }).steps()).stdout).toContain('It is incomplete, or not')
  const missing = await newJob({ tarball: 'http://127.0.0.1:9/none.tgz', sha256: tarball.sha256 }).steps()
  expect(missing).toMatchObject({ exitCode: 1, stdout: expect.stringContaining('none.tgz could not be downloaded') })
  const other = await newJob({ tarball: tarball.file, sha256: tarball.sha256, version: '9.9.9' }).steps()
  expect(other).toMatchObject({ exitCode: 1, stdout: `::error::The tarball has version ${version}, not 9.9.9.\n` })
})

test('a checksum without a tarball is refused', async () => {
  const { exitCode, stdout } = await newJob({ sha256: 'a'.repeat(64) }).steps()
  expect([exitCode, stdout]).toEqual([
    1,
    expect.stringContaining('::error::The input "sha256" is the checksum of a tarball.'),
  ])
})

test('every step of the action is a script of the repository', () => {
  for (const { run: line } of action.runs.steps.filter((step) => step.run !== undefined))
    expect(line).toMatch(/^node "\$PARLEY_ACTION\/scripts\/action\.mjs" (?:source|install|start)$/)
})

test.each(['', 'latest', version, `v${version}`])(
  'the action runs what was checked out for the version "%s"',
  async (asked) => {
    const job = newJob({ version: asked, port: 'nowhere' })
    await job.steps()
    expect(job.written('npm-calls')).toContain('run build')
  },
)

test('the action fails for a version that was not checked out, and names the tag to use', async () => {
  const job = newJob({ version: '9.9.9' })
  const { exitCode, stdout } = await job.steps()
  expect(exitCode).toBe(1)
  expect(stdout).toContain(
    `::error::This is version ${version} of the action, not 9.9.9. Write: uses: clinic/parley@v9.9.9`,
  )
  expect(job.written('npm-calls')).not.toContain('run build')
})

test('the action caches its downloads by the hash of its lockfile, and uses no other action but the cache', () => {
  const used = action.runs.steps.filter((it) => it.uses !== undefined)
  expect(used).toMatchObject([
    { uses: 'actions/cache@v4', with: { key: expect.stringContaining('steps.source.outputs.lock') } },
  ])
})
