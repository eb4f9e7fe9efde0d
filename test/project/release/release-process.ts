// Runs a release in the folder that is given, and kills itself when it prints the line that is given.
import { writeFileSync } from 'node:fs'
import { basename, join } from 'node:path'
import { argv, env, exit, kill, pid, stderr, stdout } from 'node:process'
import { release } from '../../../scripts/release/release.ts'
import { releaseSettings } from '../../../scripts/release/settings.ts'

const [root = '', isDryRun = '', killAt = '', version = ''] = argv.slice(2)
try {
  await release({
    root,
    settings: { ...releaseSettings, package: { name: 'small', owned: env.OWNED === 'yes' } },
    isDryRun: isDryRun === 'dry',
    version: version || undefined,
    now: () => new Date(1764374400000),
    say: (line) => {
      stdout.write(`${line}\n`)
      if (line === killAt) kill(pid, 'SIGKILL')
    },
    check: async () => [],
    buildPackages: async ({ folder, tarball }) =>
      writeFileSync(join(folder, basename(tarball).replace('.tgz', '.gz')), 'executable'),
  })
} catch (error) {
  stderr.write(`release: ${(error as Error).message}\n`)
  exit(1)
}
