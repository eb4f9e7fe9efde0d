// Makes a release in the folder release, and publishes it unless --dry-run is given. See docs/releasing.md.
import { join } from 'node:path'
import { argv, exit, stderr, stdout } from 'node:process'
import { parseArgs } from 'node:util'
import { checkPackage, NODES } from './check-package.mjs'
import { buildPackages } from './release/packages.ts'
import { release } from './release/release.ts'
import { releaseSettings } from './release/settings.ts'

try {
  const { values } = parseArgs({
    args: argv.slice(2),
    options: { 'dry-run': { type: 'boolean', default: false }, version: { type: 'string' } },
  })
  await release({
    root: join(import.meta.dirname, '..'),
    settings: releaseSettings,
    isDryRun: values['dry-run'],
    version: values.version,
    now: () => new Date(),
    say: (line) => stdout.write(`${line}\n`),
    buildPackages,
    check: async (tarball) =>
      (await checkPackage({ nodes: NODES, tarball, say: (line: string) => stderr.write(`  ${line}\n`) })).failures,
  })
} catch (error) {
  stderr.write(`release: ${(error as Error).message}\n`)
  exit(1)
}
