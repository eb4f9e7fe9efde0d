/** A release and the version of its schema. */
export interface Release {
  readonly version: string
  readonly schema: number
}

/** Every release, oldest first. `npm run release` adds its own; an entry never changes. */
export const releases: readonly Release[] = [
  { version: '0.1.0', schema: 9 },
  { version: '0.2.0', schema: 18 },
]

/**
 * Returns the oldest schema whose program still works on a server's database with the schema `latest`: that of the
 * release directly before `version`. A build that is not a release comes after all of them.
 */
export function oldestCompatibleSchema(
  version: string | undefined,
  latest: number,
  known: readonly Release[] = releases,
): number {
  const own = known.findIndex((release) => release.version === version && release.schema === latest)
  const before = own < 0 ? known.at(-1) : known[own - 1]
  return Math.min(before?.schema ?? latest, latest)
}
