import { type Fragment, type Kind, kinds } from './fragments.ts'

/** Words before the text of a change. What is added needs none. */
const labels: Readonly<Record<Kind, string>> = {
  breaking: '**Breaking:** ',
  security: '**Security:** ',
  added: '',
  changed: 'Changed: ',
  fixed: 'Fixed: ',
  removed: 'Removed: ',
}

/** Returns the section of the changelog for a release: changes grouped by noun or topic, the weightiest first. */
export function releaseSection(version: string, date: string, fragments: readonly Fragment[]): string {
  const topics = [...new Set(fragments.map((fragment) => fragment.about))].sort()
  const groups = topics.map((about) => {
    const lines = fragments
      .filter((fragment) => fragment.about === about)
      .toSorted((a, b) => kinds.indexOf(a.kind) - kinds.indexOf(b.kind) || (a.path < b.path ? -1 : 1))
      .map((fragment) => `- ${labels[fragment.kind]}${fragment.text}`)
    return `### ${about}\n\n${lines.join('\n')}\n`
  })
  return `## [${version}] - ${date}\n\n${groups.join('\n')}`
}

/** Returns the versions that a changelog has, newest first. */
export const releasedVersions = (changelog: string): string[] =>
  [...changelog.matchAll(/^## \[(\d+\.\d+\.\d+)\]/gm)].map((found) => found[1] as string)

/** Inserts the section of a release before the newest one. Throws where the version is there already. */
export function withRelease(changelog: string, version: string, section: string): string {
  if (releasedVersions(changelog).includes(version)) throw new Error(`CHANGELOG.md has ${version} already`)
  const at = changelog.search(/^## \[\d/m)
  return at < 0 ? `${changelog.trimEnd()}\n\n${section}` : `${changelog.slice(0, at)}${section}\n${changelog.slice(at)}`
}

/** Returns the section of one version without its heading, or an empty text. */
export function notesOf(changelog: string, version: string): string {
  const [, notes = ''] =
    new RegExp(`^## \\[${version.replaceAll('.', '\\.')}\\][^\\n]*\\n(.*?)(?=^## \\[|$(?![\\s\\S]))`, 'ms').exec(
      changelog,
    ) ?? []
  return notes.trim()
}
