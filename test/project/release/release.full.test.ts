import { execFile, execFileSync } from 'node:child_process'
import { createHash } from 'node:crypto'
import { existsSync, mkdirSync, mkdtempSync, readdirSync, readFileSync, rmSync, writeFileSync } from 'node:fs'
import { createServer } from 'node:http'
import type { AddressInfo } from 'node:net'
import { tmpdir } from 'node:os'
import { join } from 'node:path'
import { execPath } from 'node:process'
import { text } from 'node:stream/consumers'
import { rolldown } from 'rolldown'
import { afterAll, beforeAll, expect, test } from 'vitest'
import { stepNames } from '../../../scripts/release/release.ts'
import { root } from '../../support/sources.ts'

// Inside node_modules, so that the packages are found.
const folder = join(root, 'node_modules/.cache', `release-test-${process.pid}`)
const places = mkdtempSync(join(tmpdir(), 'parley-release-'))
const program = join(folder, 'release.mjs')

beforeAll(async () => {
  mkdirSync(folder, { recursive: true })
  const bundled = await rolldown({
    input: join(import.meta.dirname, 'release-process.ts'),
    platform: 'node',
    external: /^[^./]/,
  })
  await bundled.write({ file: program, format: 'esm' })
  await bundled.close()
})

/** What ends with the tests. */
const closing: (() => void)[] = []

afterAll(() => {
  for (const close of closing) close()
  rmSync(folder, { recursive: true, force: true })
  rmSync(places, { recursive: true, force: true })
})

const changelog = '# Changelog\n\n## [0.1.0]\n\n- First\n'
const line = '-'.repeat(80)

/** A small repository with one change. Its build writes the licences of one package. */
function newRepository() {
  const at = mkdtempSync(join(places, 'repository-'))
  const write = (path: string, text: string) => {
    mkdirSync(join(at, path, '..'), { recursive: true })
    writeFileSync(join(at, path), text)
  }
  const scripts = { generate: 'node generate.cjs', build: 'node build.cjs' }
  const manifest = { name: 'small', version: '0.1.0', license: 'MIT', files: ['dist'], scripts }
  write('package.json', `${JSON.stringify(manifest, null, 2)}\n`)
  write(
    'package-lock.json',
    JSON.stringify({ name: 'small', version: '0.1.0', packages: { '': { version: '0.1.0' } } }),
  )
  write(
    'generate.cjs',
    "require('fs').writeFileSync('page.md', 'Version ' + require('./package.json').version + '\\n')",
  )
  write(
    'build.cjs',
    `const fs = require('fs'); fs.mkdirSync('dist', { recursive: true });
     fs.writeFileSync('dist/version.js', require('./package.json').version);
     fs.writeFileSync('dist/THIRD-PARTY-LICENSES.txt', ${JSON.stringify(`${line}\n@scope/part 1.2.3 (MIT)\n${line}\n\nText\n`)})`,
  )
  write('page.md', 'Version 0.1.0\n')
  write('CHANGELOG.md', changelog)
  write('README.md', 'npm install ./small-0.1.0.tgz\n')
  write('changes/README.md', '# Changes\n')
  write('changes/budget.md', '---\nkind: added\nabout: numbers\n---\nA budget.\n')
  write('.gitignore', '/release/\ndist/\n')
  const git = (...args: string[]) => execFileSync('git', args, { cwd: at, encoding: 'utf8' })
  git('init', '--quiet', '--initial-branch=main')
  git('config', 'user.name', 'Test')
  git('config', 'user.email', 'test@parley.example')
  git('add', '--all')
  git('commit', '--quiet', '--message', 'First')
  return {
    at,
    write,
    git,
    read: (path: string) => readFileSync(join(at, path), 'utf8'),
    artefacts: () => readdirSync(join(at, 'release/0.2.0')).sort(),
    release: (options: { isReal?: boolean; killAt?: string; version?: string; env?: object } = {}) =>
      new Promise<{ exitCode: number | string; stdout: string; stderr: string }>((done) => {
        const args = [program, at, options.isReal ? 'real' : 'dry', options.killAt ?? 'never', options.version ?? '']
        execFile(execPath, args, { env: { ...process.env, ...options.env } }, (error, stdout, stderr) =>
          done({ exitCode: error ? (error.signal ?? error.code ?? 1) : 0, stdout, stderr }),
        )
      }),
  }
}

const made = ['SHA256SUMS', 'provenance.intoto.json', 'sbom.cdx.json', 'small-0.2.0.gz', 'small-0.2.0.tgz']

test('a dry run makes every artefact, says what to push, and has nothing to release afterwards', async () => {
  const repository = newRepository()
  const { stdout, ...rest } = await repository.release()
  expect(rest).toEqual({ exitCode: 0, stderr: '' })
  expect(repository.artefacts()).toEqual(made)
  for (const text of [
    'git tag v0.2.0',
    'git push origin main v0.2.0',
    'npm publish release/0.2.0/small-0.2.0.tgz --access public --provenance=false',
    '"small" is not yet owned: register it first',
    ...made,
  ])
    expect(stdout).toContain(text)
  expect(JSON.parse(repository.read('package.json')).version).toBe('0.2.0')
  expect(JSON.parse(repository.read('package-lock.json'))).toMatchObject({ version: '0.2.0' })
  expect(repository.read('CHANGELOG.md')).toContain(
    '## [0.2.0] - 2025-11-29\n\n### numbers\n\n- A budget.\n\n## [0.1.0]',
  )
  expect(repository.read('README.md')).toBe('npm install ./small-0.2.0.tgz\n')
  expect(repository.read('page.md')).toBe('Version 0.2.0\n')
  expect(existsSync(join(repository.at, 'changes/budget.md'))).toBe(false)
  expect(
    execFileSync('sha256sum', ['--check', 'SHA256SUMS'], { cwd: join(repository.at, 'release/0.2.0') }).toString(),
  ).toContain('small-0.2.0.tgz: OK')
  expect(JSON.parse(repository.read('release/0.2.0/sbom.cdx.json'))).toMatchObject({
    bomFormat: 'CycloneDX',
    metadata: { component: { name: 'small', version: '0.2.0' } },
    components: [{ group: '@scope', name: 'part', version: '1.2.3', licenses: [{ license: { id: 'MIT' } }] }],
  })
  const statement = JSON.parse(repository.read('release/0.2.0/provenance.intoto.json'))
  repository.git('add', '--all')
  const tree = repository.git('write-tree').trim()
  expect(statement).toMatchObject({
    predicateType: 'https://slsa.dev/provenance/v1',
    subject: [{ name: 'sbom.cdx.json' }, { name: 'small-0.2.0.gz' }, { name: 'small-0.2.0.tgz' }],
    predicate: { buildDefinition: { resolvedDependencies: [{ digest: { gitTree: tree } }, {}] } },
  })

  expect(await repository.release()).toEqual({ exitCode: 0, stdout: 'Nothing to release.\n', stderr: '' })
  repository.git('commit', '--quiet', '--message', 'Release 0.2.0')
  expect(await repository.release()).toEqual({ exitCode: 0, stdout: 'Nothing to release.\n', stderr: '' })
})

test('executables that other machines built are artefacts with checksums, and damaged or older ones are refused', async () => {
  const repository = newRepository()
  const name = 'parley-0.2.0-other-x64'
  const add = (version: string, content: string, sum = content) => {
    const file = `parley-${version}-other-x64`
    repository.write(`release/executables/${file}.tar.gz`, content)
    const digest = createHash('sha256').update(sum).digest('hex')
    repository.write(`release/executables/${file}.sha256`, `${digest}  ${file}.tar.gz\n`)
  }
  add('0.1.0', 'whole')
  expect((await repository.release()).stderr).toContain('parley-0.1.0-other-x64.sha256 is not of version 0.2.0')
  rmSync(join(repository.at, 'release/executables'), { recursive: true })
  add('0.2.0', 'wh', 'whole')
  expect((await repository.release()).stderr).toContain(`${name}.tar.gz is missing or differs from its checksum`)
  add('0.2.0', 'whole')
  expect(await repository.release()).toMatchObject({ exitCode: 0, stderr: '' })
  expect(repository.artefacts()).toEqual([...made, `${name}.tar.gz`].sort())
  expect(repository.read('release/0.2.0/SHA256SUMS')).toContain(`  ${name}.tar.gz\n`)
  // It says what this machine built.
  expect(repository.read('release/0.2.0/provenance.intoto.json')).not.toContain(name)
})

test.each(stepNames)('a release that is killed at the step %s is resumed there, with the same files', async (step) => {
  const repository = newRepository()
  // Before its work, and after it, before that is saved.
  for (const killAt of [`${step} ...`, `${step} done`])
    expect(await repository.release({ killAt })).toMatchObject({ exitCode: 'SIGKILL', stderr: '' })
  const resumed = await repository.release()
  expect(resumed).toMatchObject({ exitCode: 0, stderr: '' })
  const earlier = stepNames.slice(0, stepNames.indexOf(step))
  expect(resumed.stdout).toContain(`Resuming 0.2.0 after: ${earlier.join(', ') || 'no step'}\n${step} ...\n`)
  expect(repository.artefacts()).toEqual(made)
  expect(repository.read('CHANGELOG.md').match(/## \[0\.2\.0\]/g)).toHaveLength(1)
  expect((await repository.release()).stdout).toBe('Nothing to release.\n')
})

test('a release whose name is not owned publishes nothing, says so by name, and keeps what it made', async () => {
  const repository = newRepository()
  for (const _ of [1, 2]) {
    const { exitCode, stderr } = await repository.release({ isReal: true })
    expect({ exitCode, stderr }).toEqual({
      exitCode: 1,
      stderr:
        'release: Not published: "small" is not yet owned: register it first, then set "owned" in scripts/release/settings.ts.\n',
    })
    expect(repository.artefacts()).toEqual(made)
  }
})

test('a fresh clone of a released version makes its artefacts, once', async () => {
  const repository = newRepository()
  await repository.release()
  repository.git('add', '--all')
  repository.git('commit', '--quiet', '--message', 'Release 0.2.0')
  repository.git('tag', 'v0.2.0')
  rmSync(join(repository.at, 'release'), { recursive: true })
  expect((await repository.release()).stdout).not.toContain('git commit')
  expect(repository.artefacts()).toEqual(made)
  expect((await repository.release()).stdout).toBe('Nothing to release.\n')
  expect(repository.git('status', '--porcelain')).toBe('')
})

test('a commit after the tag without a change has nothing to release', async () => {
  const repository = newRepository()
  await repository.release()
  repository.git('add', '--all')
  repository.git('commit', '--quiet', '--message', 'Release 0.2.0')
  repository.git('tag', 'v0.2.0')
  rmSync(join(repository.at, 'release'), { recursive: true })
  repository.git('commit', '--quiet', '--allow-empty', '--message', 'Later')
  expect((await repository.release()).stdout).toBe('Nothing to release.\n')
})

test('a tree with changes and a version that exists are refused, and nothing is written', async () => {
  const repository = newRepository()
  repository.git('tag', 'v0.3.0')
  expect((await repository.release({ version: '0.3.0' })).stderr).toContain(
    'Version 0.3.0 exists already: the tag v0.3.0.',
  )
  expect((await repository.release({ version: '0.1.0' })).stderr).toContain(
    'Version 0.1.0 exists already in CHANGELOG.md',
  )
  expect((await repository.release({ version: 'next' })).stderr).toContain('Invalid version "next"')
  repository.write('new.txt', 'not committed\n')
  const { exitCode, stderr } = await repository.release()
  expect(exitCode).toBe(1)
  expect(stderr).toContain('The tree has changes that are not committed. Commit or stash them:\n?? new.txt')
  expect(existsSync(join(repository.at, 'release'))).toBe(false)
  expect(repository.read('CHANGELOG.md')).toBe(changelog)
})

test('an interrupted release is not resumed on another commit', async () => {
  const repository = newRepository()
  await repository.release({ killAt: 'build ...' })
  repository.git('commit', '--quiet', '--allow-empty', '--message', 'Later')
  const { exitCode, stderr } = await repository.release()
  expect(exitCode).toBe(1)
  expect(stderr).toContain('0.2.0 was started at commit')
})

/** A registry with the packages that were published to it, as npm talks to it. */
async function newRegistry() {
  const published = new Map<string, { versions: Record<string, { dist: { integrity: string } }> }>()
  const puts: string[] = []
  const server = createServer((request, response) => {
    const name = decodeURIComponent((request.url ?? '').slice(1))
    const send = (status: number, value: object) => {
      response.writeHead(status, { 'content-type': 'application/json' })
      response.end(JSON.stringify(value))
    }
    if (request.method === 'GET') {
      const found = published.get(name)
      return found ? send(200, found) : send(404, { error: 'not found' })
    }
    void text(request).then((body) => {
      const sent = JSON.parse(body)
      puts.push(`${name} ${Object.keys(sent.versions).join()}`)
      published.set(name, sent)
      send(201, { ok: true })
    })
  })
  await new Promise<void>((done) => server.listen(0, '127.0.0.1', done))
  const { port } = server.address() as AddressInfo
  closing.push(() => server.close())
  const settings = join(mkdtempSync(join(places, 'npmrc-')), 'npmrc')
  writeFileSync(
    settings,
    `registry=http://127.0.0.1:${port}/\n//127.0.0.1:${port}/:_authToken=token\nfetch-retries=0\n`,
  )
  const env = { OWNED: 'yes', npm_config_userconfig: settings, npm_config_registry: `http://127.0.0.1:${port}/` }
  return { published, puts, env, close: () => server.close() }
}

/** A repository whose release was made, committed and tagged. */
async function readyRepository() {
  const repository = newRepository()
  await repository.release()
  repository.git('add', '--all')
  repository.git('commit', '--quiet', '--message', 'Release 0.2.0')
  repository.git('tag', 'v0.2.0')
  return repository
}

test('an owned name is published once: after a kill before or after the registry had it, and when it is run again', async () => {
  const { env, puts, published } = await newRegistry()
  const repository = await readyRepository()
  expect(await repository.release({ isReal: true, env, killAt: 'publish ...' })).toMatchObject({ exitCode: 'SIGKILL' })
  expect(puts).toEqual([])
  expect(await repository.release({ isReal: true, env, killAt: 'publish done' })).toMatchObject({ exitCode: 'SIGKILL' })
  const resumed = await repository.release({ isReal: true, env })
  expect(resumed).toMatchObject({ exitCode: 0, stderr: '' })
  expect(resumed.stdout).toContain('small 0.2.0 was published already, with the same content.')
  expect(puts).toEqual(['small 0.2.0'])
  const own = createHash('sha512').update(readFileSync(join(repository.at, 'release/0.2.0/small-0.2.0.tgz')))
  expect(published.get('small')?.versions['0.2.0']?.dist.integrity).toBe(`sha512-${own.digest('base64')}`)
  expect((await repository.release({ isReal: true, env })).stdout).toBe('Nothing to release.\n')
})

test('an owned name is not published without its commit and tag, with another content, or without a registry', async () => {
  const { env, puts, published, close } = await newRegistry()
  const refused = async (repository: ReturnType<typeof newRepository>, message: string, more: object = {}) => {
    const { exitCode, stderr } = await repository.release({ isReal: true, env: { ...env, ...more } })
    expect([exitCode, stderr]).toEqual([1, expect.stringContaining(`release: Not published: ${message}`)])
  }
  const uncommitted = newRepository()
  await refused(uncommitted, 'commit the files of 0.2.0 first.')
  uncommitted.git('add', '--all')
  uncommitted.git('commit', '--quiet', '--message', 'Release 0.2.0')
  await refused(uncommitted, 'this commit does not have the tag v0.2.0.')
  uncommitted.git('tag', 'v0.2.0')
  published.set('small', { versions: { '0.2.0': { dist: { integrity: 'sha512-other' } } } })
  Object.assign(published.get('small') ?? {}, { name: 'small', 'dist-tags': { latest: '0.2.0' } })
  await refused(uncommitted, 'small 0.2.0 exists already with other content.')
  close()
  // Without what npm has stored of its earlier answers.
  const cache = { npm_config_cache: mkdtempSync(join(places, 'npm-')) }
  await refused(uncommitted, 'the registry did not answer. Try again.', cache)
  uncommitted.write('release/0.2.0/sbom.cdx.json', 'half')
  const damaged = await uncommitted.release({ isReal: true, env })
  expect(damaged.stderr).toContain('sbom.cdx.json differs from its checksum in SHA256SUMS.')
  expect(puts).toEqual([])
})
