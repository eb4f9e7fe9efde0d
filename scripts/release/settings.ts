/** Decisions of the maintainers about releases. package.json is checked against them. */
export const releaseSettings = {
  /** Name in the npm registry. Nothing is published under it, and no text installs it by name, until it is owned. */
  package: { name: 'parley-cli', owned: false },
  /** Addresses under `.example` belong to no one: replace them together, when the repository has its public place. */
  repository: 'git+https://code.parley.example/parley.git',
  bugs: 'https://code.parley.example/parley/issues',
  homepage: 'https://code.parley.example/parley#readme',
} as const

/** What the release prints while the name belongs to no one or to others. */
export const notOwned = (name: string): string => `"${name}" is not yet owned: register it first`

/** Returns the fields of package.json that follow from the settings. */
export function manifestFields(settings: Pick<typeof releaseSettings, keyof typeof releaseSettings>) {
  return {
    name: settings.package.name,
    homepage: settings.homepage,
    bugs: { url: settings.bugs },
    repository: { type: 'git', url: settings.repository },
    publishConfig: { access: 'public', provenance: true },
  }
}
