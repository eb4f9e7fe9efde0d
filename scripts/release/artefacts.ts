import { createHash } from 'node:crypto'
import { existsSync, readdirSync, readFileSync } from 'node:fs'
import { basename, join } from 'node:path'
import { Enums, Models, Serialize, SPDX, Spec } from '@cyclonedx/cyclonedx-library'

/** A package whose parts are in the program. */
export interface BundledPackage {
  readonly name: string
  readonly version: string
  readonly licence: string
}

/** Returns the packages of THIRD-PARTY-LICENSES.txt, which the build writes from the modules in the bundle. */
export const bundledPackages = (licences: string): BundledPackage[] =>
  [...licences.matchAll(/^-{80}\n(\S+) (\S+) \((.+)\)\n-{80}$/gm)].map(([, name = '', version = '', licence = '']) => ({
    name,
    version,
    licence,
  }))

/**
 * Returns the bill of materials of a package as CycloneDX JSON: what is bundled, the optional packages that npm installs
 * beside it, and the Node that is part of an executable.
 */
export function billOfMaterials(
  manifest: { name: string; version: string; license: string; optionalDependencies?: Record<string, string> },
  bundled: readonly BundledPackage[],
  licenceOf: (name: string) => string,
  at: Date,
  node?: BundledPackage,
): string {
  const component = (
    type: Enums.ComponentType,
    { name, version, licence }: BundledPackage,
    scope: Enums.ComponentScope,
  ) => {
    const [, group, plain = name] = /^(@[^/]+)\/(.+)$/.exec(name) ?? []
    const made = new Models.Component(type, plain, {
      ...(group ? { group } : {}),
      version,
      scope,
      bomRef: `${name}@${version}`,
      purl: `pkg:npm/${group ? `${encodeURIComponent(group)}/` : ''}${plain}@${version}`,
    })
    made.licenses.add(
      SPDX.isSupportedSpdxId(licence) ? new Models.SpdxLicense(licence) : new Models.LicenseExpression(licence),
    )
    return made
  }
  const bom = new Models.Bom()
  bom.metadata.timestamp = at
  bom.metadata.component = component(
    Enums.ComponentType.Application,
    { name: manifest.name, version: manifest.version, licence: manifest.license },
    Enums.ComponentScope.Required,
  )
  const parts = bundled.map((each) => component(Enums.ComponentType.Library, each, Enums.ComponentScope.Required))
  const optional = Object.entries(manifest.optionalDependencies ?? {}).map(([name, version]) =>
    component(Enums.ComponentType.Library, { name, version, licence: licenceOf(name) }, Enums.ComponentScope.Optional),
  )
  const runtime = node ? [runtimeComponent(node)] : []
  for (const part of [...parts, ...optional, ...runtime]) {
    bom.components.add(part)
    bom.metadata.component.dependencies.add(part.bomRef)
  }
  const serializer = new Serialize.JsonSerializer(new Serialize.JSON.Normalize.Factory(Spec.Spec1dot6))
  return `${serializer.serialize(bom, { sortLists: true, space: 2 })}\n`
}

/** Node is no package of npm: the package `node` there is by others. */
function runtimeComponent({ name, version, licence }: BundledPackage): Models.Component {
  const made = new Models.Component(Enums.ComponentType.Platform, name, {
    version,
    scope: Enums.ComponentScope.Required,
    bomRef: `${name}@${version}`,
    purl: `pkg:github/nodejs/node@v${version}`,
  })
  made.licenses.add(new Models.SpdxLicense(licence))
  return made
}

export const sha256 = (bytes: string | Buffer): string => createHash('sha256').update(bytes).digest('hex')

/** Returns the lines that `sha256sum --check` reads. */
export const checksums = (files: readonly string[]): string =>
  files
    .toSorted()
    .map((file) => `${sha256(readFileSync(file))}  ${basename(file)}\n`)
    .join('')

/** A file of a release. */
export interface Artefact {
  readonly name: string
  readonly bytes: Buffer
  readonly sha256: string
}

/**
 * Returns the artefacts in a folder, by name. Throws where one is missing in it, is not named in its SHA256SUMS or
 * differs from the checksum there.
 */
export function requireChecksums(folder: string): Artefact[] {
  if (!existsSync(join(folder, 'SHA256SUMS')))
    throw new Error(`${folder} has no SHA256SUMS. Make the release first: npm run release -- --dry-run.`)
  const sums = readFileSync(join(folder, 'SHA256SUMS'), 'utf8')
  const expected = new Map([...sums.matchAll(/^(\w{64}) {2}(.+)$/gm)].map(([, sum = '', name = '']) => [name, sum]))
  const names = readdirSync(folder)
  const missing = [...expected.keys()].find((name) => !names.includes(name))
  if (missing) throw new Error(`${missing} is in SHA256SUMS and not in ${folder}.`)
  return names.sort().map((name) => {
    const bytes = readFileSync(join(folder, name))
    const sum = sha256(bytes)
    if (name !== 'SHA256SUMS' && expected.get(name) !== sum)
      throw new Error(`${name} ${expected.has(name) ? 'differs from its checksum in' : 'is not in'} SHA256SUMS.`)
    return { name, bytes, sha256: sum }
  })
}

export interface Build {
  /** Artefacts: name and SHA-256. */
  readonly subjects: Readonly<Record<string, string>>
  readonly version: string
  readonly repository: string
  readonly homepage: string
  readonly commit: string
  /** Tree of the files that were built, which differs from that of the commit while a version is not committed. */
  readonly tree: string
  readonly lockSha256: string
  readonly node: string
  readonly startedAt: string
  readonly finishedAt: string
}

/** Returns where artefacts come from, as an in-toto statement with SLSA provenance of a build on this machine. */
export const provenance = (build: Build): string =>
  `${JSON.stringify(
    {
      _type: 'https://in-toto.io/Statement/v1',
      subject: Object.entries(build.subjects).map(([name, sha256]) => ({ name, digest: { sha256 } })),
      predicateType: 'https://slsa.dev/provenance/v1',
      predicate: {
        buildDefinition: {
          buildType: `${build.homepage}/releasing/v1`,
          externalParameters: { version: build.version, command: 'npm run release' },
          internalParameters: { node: build.node },
          resolvedDependencies: [
            { uri: build.repository, digest: { gitCommit: build.commit, gitTree: build.tree } },
            { uri: 'package-lock.json', digest: { sha256: build.lockSha256 } },
          ],
        },
        runDetails: {
          builder: { id: `${build.homepage}/local-builder` },
          metadata: {
            invocationId: `${build.version}-${build.startedAt}`,
            startedOn: build.startedAt,
            finishedOn: build.finishedAt,
          },
        },
      },
    },
    null,
    2,
  )}\n`
