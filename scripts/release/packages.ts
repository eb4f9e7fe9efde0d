import { execFile } from 'node:child_process'
import { existsSync } from 'node:fs'
import { join } from 'node:path'
import { env, execPath, platform, versions } from 'node:process'
import { promisify } from 'node:util'
import { buildArchive } from './archive.ts'

export interface PackageOptions {
  /** Folder of the repository, which was built. */
  readonly root: string
  readonly tarball: string
  /** Folder of the artefacts. */
  readonly folder: string
  readonly say: (line: string) => void
}

const execute = promisify(execFile)

/**
 * Builds what is installed without npm: the archive of the executable of this system and processor; the Debian package of
 * it where `dpkg-deb` is installed; and the Homebrew formula of the tarball.
 */
export async function buildPackages({ root, tarball, folder, say }: PackageOptions): Promise<void> {
  const script = (file: string, ...args: string[]) =>
    execute(execPath, [join(root, 'scripts', file), ...args], { cwd: root, env, maxBuffer: 64e6 })
  const binary = join(root, 'release/binary', platform === 'win32' ? 'parley.exe' : 'parley')
  // Node 24 has SQLite built in, so that the executable never writes a driver. npm has its executable for Linux.
  const node = Number.parseInt(versions.node, 10) >= 24 || platform !== 'linux' ? execPath : '24'
  await script('binary.mjs', '--node', node, '--out', binary)
  buildArchive({ root, binary, out: folder })
  await script('packages/formula.mjs', tarball, '--out', folder)
  if (existsSync('/usr/bin/dpkg-deb')) await script('packages/deb.mjs', '--binary', binary, '--out', folder)
  else say('No Debian package: dpkg-deb is not installed.')
}
