import type { Fragment } from './fragments.ts'

/** Returns the version that the changes ask for. Before 1.0.0, what breaks raises the second number. */
export function nextVersion(current: string, fragments: readonly Pick<Fragment, 'kind'>[]): string {
  const [major = 0, minor = 0, patch = 0] = requireVersion(current).split('.').map(Number)
  const has = (...wanted: string[]) => fragments.some((fragment) => wanted.includes(fragment.kind))
  if (has('breaking', 'removed')) return major > 0 ? `${major + 1}.0.0` : `0.${minor + 1}.0`
  if (has('added', 'changed')) return `${major}.${minor + 1}.0`
  return `${major}.${minor}.${patch + 1}`
}

/** Returns a version of three numbers, or throws. */
export function requireVersion(version: string): string {
  if (!/^(0|[1-9]\d*)\.(0|[1-9]\d*)\.(0|[1-9]\d*)$/.test(version))
    throw new Error(`Invalid version "${version}". Use three numbers, such as 0.2.0.`)
  return version
}

/** Returns package.json with another version and nothing else changed. */
export const withManifestVersion = (manifest: string, version: string): string =>
  manifest.replace(/^( {2}"version": ")[^"]*(")/m, `$1${version}$2`)

/** Returns package-lock.json with another version of the package itself. */
export function withLockVersion(lock: string, version: string): string {
  const parsed = JSON.parse(lock) as { version: string; packages: Record<string, { version: string }> }
  parsed.version = version
  const own = parsed.packages['']
  if (own) own.version = version
  return `${JSON.stringify(parsed, null, 2)}\n`
}

/** Returns a page in which the names of tarballs have another version. */
export const withTarballVersion = (text: string, name: string, version: string): string =>
  text.replaceAll(new RegExp(`\\b${name}-\\d+\\.\\d+\\.\\d+\\.tgz\\b`, 'g'), `${name}-${version}.tgz`)

/** Returns the list of released schemas with another release, whose schema is that of this program. */
export function withReleasedSchema(list: string, version: string, migrations: string): string {
  if (list.includes(`version: '${version}'`)) return list
  const schema = Number(/schemaVersion = (\d+)/.exec(migrations)?.[1] ?? 0)
  const added = `$1  { version: '${version}', schema: ${schema} },\n]`
  return list.replace(/(^export const releases: [^=]*= \[\n(?: {2}.*\n)*)\]/m, added)
}
