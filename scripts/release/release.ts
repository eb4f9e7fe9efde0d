import { execFile } from 'node:child_process'
import { createHash } from 'node:crypto'
import { existsSync, mkdirSync, readdirSync, readFileSync, renameSync, rmSync } from 'node:fs'
import { basename, join } from 'node:path'
import { env, platform, versions } from 'node:process'
import { promisify } from 'node:util'
import { pack as packProgram } from '../pack.mjs'
import { addExecutables, executablesFolder, isOfOtherMachine } from './archive.ts'
import { billOfMaterials, bundledPackages, checksums, provenance, requireChecksums, sha256 } from './artefacts.ts'
import { releasedVersions, releaseSection, withRelease } from './changelog.ts'
import { readFragments } from './fragments.ts'
import type { PackageOptions } from './packages.ts'
import { notOwned, type releaseSettings } from './settings.ts'
import { type ReleaseState, readState, releaseFolder, saveState, writeWhole } from './state.ts'
import {
  nextVersion,
  requireVersion,
  withLockVersion,
  withManifestVersion,
  withReleasedSchema,
  withTarballVersion,
} from './version.ts'

export interface ReleaseOptions {
  /** Folder of the repository. */
  readonly root: string
  readonly settings: Omit<typeof releaseSettings, 'package'> & { package: { name: string; owned: boolean } }
  readonly isDryRun: boolean
  /** Version to make in place of the one that the changes ask for. */
  readonly version?: string | undefined
  readonly now: () => Date
  /** Receives each line for the maintainer. */
  readonly say: (line: string) => void
  /** Checks a packed tarball. Resolves to what is wrong with it. */
  readonly check: (tarball: string) => Promise<readonly string[]>
  /** Builds what is installed without npm into the folder of the artefacts. */
  readonly buildPackages: (options: PackageOptions) => Promise<void>
}

/** Pages that name the tarball of the version. */
const pagesWithTarball = ['README.md', 'docs/testing-with-parley.md']

/** Schemas of the releases, and the steps of which a release has all. */
const schemas = {
  list: 'src/platform/store/migrations/releases.ts',
  migrations: 'src/platform/store/migrations/index.ts',
}

const execute = promisify(execFile)

interface Step {
  readonly name: string
  readonly run: (state: ReleaseState, options: ReleaseOptions) => Promise<void> | void
}

/** Each can run again from its beginning, so that a killed release resumes with the step that was not finished. */
const steps: readonly Step[] = [
  { name: 'version', run: writeVersion },
  { name: 'generate', run: (_, options) => npm(options, 'run', '--silent', 'generate') },
  { name: 'build', run: (_, options) => npm(options, 'run', '--silent', 'build') },
  { name: 'pack', run: pack },
  { name: 'check', run: checkTarball },
  { name: 'packages', run: writePackages },
  { name: 'materials', run: writeMaterials },
  { name: 'provenance', run: writeProvenance },
  { name: 'checksums', run: writeChecksums },
]

/** Steps of a release, in order. `publish` is not one of a dry run. */
export const stepNames = steps.map((step) => step.name)

/**
 * Makes a release, or resumes the one that was interrupted. Throws with the fix where it is refused. A dry run does
 * everything except publishing.
 */
export async function release(options: ReleaseOptions): Promise<void> {
  const { root, say, settings, isDryRun } = options
  const started = await startedRelease(options)
  if (!started) return say('Nothing to release.')
  let state = started
  for (const step of steps) {
    if (state.done.includes(step.name)) continue
    say(`${step.name} ...`)
    await step.run(state, options)
    say(`${step.name} done`)
    state = { ...state, done: [...state.done, step.name] }
    saveState(root, state)
  }
  await report(state, options)
  if (isDryRun) return
  if (!settings.package.owned)
    throw new Error(
      `Not published: ${notOwned(settings.package.name)}, then set "owned" in scripts/release/settings.ts.`,
    )
  await publish(state, options)
}

/** Returns the release to continue or to begin, or undefined when there is none. */
async function startedRelease(options: ReleaseOptions): Promise<ReleaseState | undefined> {
  const { root, isDryRun, say } = options
  const state = readState(root)
  const commit = (await git(root, 'rev-parse', 'HEAD')).trim()
  if (state && !isFinished(state)) {
    if (options.version !== undefined && options.version !== state.version)
      throw new Error(`${state.version} is not finished. Run it again without --version, or delete the folder release.`)
    if (state.commit !== commit)
      throw new Error(
        `${state.version} was started at commit ${state.commit.slice(0, 9)}. Check it out, or delete the folder release.`,
      )
    say(`Resuming ${state.version} after: ${state.done.join(', ') || 'no step'}`)
    return state
  }
  const manifest = readManifest(root)
  // What a finished release left to publish, or the tree that holds its changes.
  if (state?.version === manifest.version && readFragments(root).length === 0) {
    if (options.version !== undefined && options.version !== state.version) return begin(options, commit)
    return isDryRun || state.done.includes('publish') ? undefined : state
  }
  return begin(options, commit)
}

const isFinished = (state: ReleaseState) => stepNames.every((name) => state.done.includes(name))

async function begin(options: ReleaseOptions, commit: string): Promise<ReleaseState | undefined> {
  const { root, now } = options
  const dirty = await git(root, 'status', '--porcelain')
  if (dirty.trim() !== '')
    throw new Error(`The tree has changes that are not committed. Commit or stash them:\n${dirty.trimEnd()}`)
  const fragments = readFragments(root)
  const { version: current } = readManifest(root)
  const changelog = readFileSync(join(root, 'CHANGELOG.md'), 'utf8')
  const version = requireVersion(options.version ?? (fragments.length > 0 ? nextVersion(current, fragments) : current))
  const tagged = await commitOfTag(root, `v${version}`)
  const isAgain = fragments.length === 0 && version === current
  if (isAgain && tagged !== undefined && tagged !== commit && options.version === undefined) return undefined
  if (tagged !== undefined && !(isAgain && tagged === commit))
    throw new Error(`Version ${version} exists already: the tag v${version}. Choose another one with --version.`)
  if (!isAgain && releasedVersions(changelog).includes(version))
    throw new Error(`Version ${version} exists already in CHANGELOG.md. Choose another one with --version.`)
  if (fragments.length === 0 && !isAgain)
    throw new Error(`There are no changes to release as ${version}: the folder changes has only its README.`)
  if (isAgain && !releasedVersions(changelog).includes(version)) return undefined
  const date = now().toISOString().slice(0, 10)
  const files = isAgain ? {} : filesOfVersion(options, version, releaseSection(version, date, fragments))
  for (const { path } of isAgain ? [] : fragments) Object.assign(files, { [path]: null })
  removeArtefacts(root)
  const state: ReleaseState = { version, commit, date, startedAt: now().toISOString(), files, done: [] }
  saveState(root, state)
  return state
}

/** Removes what earlier releases left, except executables of other machines, which were put there for this one. */
function removeArtefacts(root: string): void {
  const folder = releaseFolder(root)
  for (const name of existsSync(folder) ? readdirSync(folder) : [])
    if (name !== basename(executablesFolder(root))) rmSync(join(folder, name), { recursive: true, force: true })
}

function filesOfVersion({ root, settings }: ReleaseOptions, version: string, section: string) {
  const text = (path: string) => readFileSync(join(root, path), 'utf8')
  const files: Record<string, string | null> = {
    'CHANGELOG.md': withRelease(text('CHANGELOG.md'), version, section),
    'package.json': withManifestVersion(text('package.json'), version),
    'package-lock.json': withLockVersion(text('package-lock.json'), version),
  }
  for (const path of pagesWithTarball.filter((page) => existsSync(join(root, page))))
    files[path] = withTarballVersion(text(path), settings.package.name, version)
  if (existsSync(join(root, schemas.list)))
    files[schemas.list] = withReleasedSchema(text(schemas.list), version, text(schemas.migrations))
  return files
}

/** Writes what was decided at the start, so that an interrupted run ends with the same files. */
function writeVersion(state: ReleaseState, { root }: ReleaseOptions): void {
  for (const [path, text] of Object.entries(state.files))
    if (text === null) rmSync(join(root, path), { force: true })
    else writeWhole(join(root, path), text)
}

const artefactFolder = (root: string, version: string) => join(releaseFolder(root), version)
const tarballOf = (root: string, { version }: ReleaseState) =>
  join(artefactFolder(root, version), `${readManifest(root).name.replace(/^@/, '').replace('/', '-')}-${version}.tgz`)

function pack(state: ReleaseState, { root }: ReleaseOptions): void {
  const draft = join(releaseFolder(root), 'packing')
  rmSync(draft, { recursive: true, force: true })
  mkdirSync(draft, { recursive: true })
  mkdirSync(artefactFolder(root, state.version), { recursive: true })
  renameSync(join(draft, packProgram(root, draft).filename), tarballOf(root, state))
  rmSync(draft, { recursive: true, force: true })
}

async function checkTarball(state: ReleaseState, { root, check }: ReleaseOptions): Promise<void> {
  const problems = await check(tarballOf(root, state))
  if (problems.length > 0) throw new Error(`The package is not good enough to publish:\n  ${problems.join('\n  ')}`)
}

/** Runs after the check: a program that fails it gets no other packages. */
async function writePackages(state: ReleaseState, { root, say, buildPackages }: ReleaseOptions): Promise<void> {
  const folder = artefactFolder(root, state.version)
  await buildPackages({ root, tarball: tarballOf(root, state), folder, say })
  addExecutables(executablesFolder(root), state.version, folder)
}

function writeMaterials(state: ReleaseState, { root, now }: ReleaseOptions): void {
  const lock = JSON.parse(readFileSync(join(root, 'package-lock.json'), 'utf8'))
  const licenceOf = (name: string): string => lock.packages[`node_modules/${name}`]?.license ?? 'NOASSERTION'
  const bundled = bundledPackages(readFileSync(join(root, 'dist/THIRD-PARTY-LICENSES.txt'), 'utf8'))
  const text = billOfMaterials(readManifest(root), bundled, licenceOf, now())
  writeWhole(join(artefactFolder(root, state.version), 'sbom.cdx.json'), text)
}

/** Artefacts about the others. */
const writtenLast: readonly string[] = ['provenance.intoto.json', 'SHA256SUMS']

async function writeProvenance(state: ReleaseState, { root, settings, now }: ReleaseOptions): Promise<void> {
  const folder = artefactFolder(root, state.version)
  const subjects = artefactsOf(root, state)
    .filter((file) => !writtenLast.includes(file) && !isOfOtherMachine(file, state.version))
    .map((file) => [file, sha256(readFileSync(join(folder, file)))])
  const text = provenance({
    subjects: Object.fromEntries(subjects),
    version: state.version,
    repository: settings.repository,
    homepage: settings.homepage.replace(/#.*/, ''),
    commit: state.commit,
    tree: await treeOf(root),
    lockSha256: sha256(readFileSync(join(root, 'package-lock.json'))),
    node: versions.node,
    startedAt: state.startedAt,
    finishedAt: now().toISOString(),
  })
  writeWhole(join(folder, 'provenance.intoto.json'), text)
}

function writeChecksums(state: ReleaseState, { root }: ReleaseOptions): void {
  const folder = artefactFolder(root, state.version)
  const files = artefactsOf(root, state).filter((file) => file !== 'SHA256SUMS')
  writeWhole(join(folder, 'SHA256SUMS'), checksums(files.map((file) => join(folder, file))))
}

const artefactsOf = (root: string, { version }: ReleaseState): string[] =>
  readdirSync(artefactFolder(root, version))
    .filter((file) => !file.endsWith('.tmp'))
    .sort()

/** Prints what was made, and what a maintainer would do with it. */
async function report(state: ReleaseState, options: ReleaseOptions): Promise<void> {
  const { root, settings, say } = options
  const changed = Object.keys(state.files).length > 0 ? (await git(root, 'status', '--porcelain')).trim() : ''
  say('')
  say(`Release ${state.version}, in release/${state.version}:`)
  for (const file of artefactsOf(root, state)) say(`  ${file}`)
  say('')
  say('To publish it:')
  if (changed !== '') say(`  git add --all && git commit --message "Release ${state.version}"`)
  say(`  git tag v${state.version}`)
  say(`  git push origin main v${state.version}`)
  say(`  npm ${publishArguments(tarballOf(root, state)).join(' ')}`.replace(`${root}/`, ''))
  say(`  upload to the release v${state.version}: ${artefactsOf(root, state).join(', ')}`)
  if (!settings.package.owned) say(notOwned(settings.package.name))
}

/** Provenance of the registry needs the identity of a CI job. */
const publishArguments = (tarball: string) => [
  'publish',
  tarball,
  '--access',
  'public',
  `--provenance=${env.GITHUB_ACTIONS === 'true'}`,
]

/** Publishes the tarball once. A run that was killed after the registry had it finds it there, and only says so. */
async function publish(state: ReleaseState, options: ReleaseOptions): Promise<void> {
  const { root, settings, say } = options
  const named = `${settings.package.name} ${state.version}`
  if ((await git(root, 'status', '--porcelain')).trim() !== '')
    throw new Error(`Not published: commit the files of ${state.version} first.`)
  if ((await commitOfTag(root, `v${state.version}`)) !== (await git(root, 'rev-parse', 'HEAD')).trim())
    throw new Error(`Not published: this commit does not have the tag v${state.version}.`)
  const tarball = tarballOf(root, state)
  requireChecksums(artefactFolder(root, state.version))
  const found = await publishedIntegrity(root, `${settings.package.name}@${state.version}`)
  const own = `sha512-${createHash('sha512').update(readFileSync(tarball)).digest('base64')}`
  if (found !== undefined && found !== own)
    throw new Error(`Not published: ${named} exists already with other content. Release another version.`)
  if (found === undefined) {
    say('publish ...')
    await npm(options, ...publishArguments(tarball))
    say('publish done')
  }
  saveState(root, { ...state, done: [...state.done, 'publish'] })
  say(found === undefined ? `Published ${named}.` : `${named} was published already, with the same content.`)
}

/** Returns the checksum of a version in the registry, or undefined where it has none. */
async function publishedIntegrity(root: string, spec: string): Promise<string | undefined> {
  try {
    return (await run(root, 'npm', ['view', '--prefer-online', spec, 'dist.integrity'])).trim() || undefined
  } catch (error) {
    const { message } = error as Error
    if (/\bE404\b/.test(message)) return undefined
    throw new Error(`Not published: the registry did not answer. Try again.\n${message}`)
  }
}

function readManifest(root: string) {
  return JSON.parse(readFileSync(join(root, 'package.json'), 'utf8')) as {
    name: string
    version: string
    license: string
    optionalDependencies?: Record<string, string>
  }
}

/** Returns the id of the files as they are now, committed or not. The index of the repository is not changed. */
async function treeOf(root: string): Promise<string> {
  const index = join(releaseFolder(root), 'index')
  rmSync(index, { force: true })
  try {
    await git(root, { GIT_INDEX_FILE: index }, 'add', '--all')
    return (await git(root, { GIT_INDEX_FILE: index }, 'write-tree')).trim()
  } finally {
    rmSync(index, { force: true })
  }
}

const commitOfTag = (root: string, tag: string): Promise<string | undefined> =>
  git(root, 'rev-parse', '--quiet', '--verify', `refs/tags/${tag}^{commit}`).then(
    (text) => text.trim(),
    () => undefined,
  )

const git = (root: string, first: string | Record<string, string>, ...rest: string[]): Promise<string> =>
  typeof first === 'string' ? run(root, 'git', [first, ...rest]) : run(root, 'git', rest, first)

async function npm({ root }: ReleaseOptions, ...args: string[]): Promise<void> {
  await run(root, 'npm', args)
}

async function run(cwd: string, file: string, args: string[], more: Record<string, string> = {}): Promise<string> {
  try {
    const isScript = platform === 'win32' && file === 'npm'
    const options = { cwd, env: { ...env, ...more }, maxBuffer: 64e6, shell: isScript }
    return (await execute(file, args, options)).stdout
  } catch (error) {
    const { stderr, stdout, message } = error as Error & { stderr?: string; stdout?: string }
    throw new Error(`${file} ${args.join(' ')} failed: ${(stderr || stdout || message).trim()}`)
  }
}
