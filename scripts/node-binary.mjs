// Other versions of Node, to try the program on.
import { execFile } from 'node:child_process'
import { copyFileSync, existsSync, mkdirSync, mkdtempSync, renameSync, rmSync } from 'node:fs'
import { join } from 'node:path'
import { arch, platform } from 'node:process'
import { promisify } from 'node:util'

/** The machines npm has current Nodes for, each as a package of its own. */
const MACHINES = ['linux-x64', 'linux-arm64']

/**
 * The path of a `node` of this version (`22`, `24.1.0`), fetched through npm once and kept under node_modules/.cache.
 * Rejects where npm has none for this machine, or cannot be reached.
 */
export async function nodeBinary(root, version) {
  const machine = `${platform}-${arch}`
  if (!MACHINES.includes(machine)) throw new Error('npm has no Node for this machine')
  const name = `node-${machine}`
  const cache = join(root, 'node_modules/.cache/nodes')
  const binary = join(cache, `node-${version}`)
  if (existsSync(binary)) return binary
  mkdirSync(cache, { recursive: true })
  const folder = mkdtempSync(join(cache, 'fetch-'))
  try {
    const args = [
      'install',
      '--ignore-scripts',
      '--no-save',
      '--no-audit',
      '--no-fund',
      '--prefer-offline',
      '--prefix',
      folder,
      `${name}@${version}`,
    ]
    await promisify(execFile)('npm', args, { cwd: folder })
    // The package is twice the size of the program in it; and a rename, so that nobody finds half a file.
    copyFileSync(join(folder, 'node_modules', name, 'bin/node'), join(folder, 'node'))
    renameSync(join(folder, 'node'), binary)
    return binary
  } finally {
    rmSync(folder, { recursive: true, force: true })
  }
}
