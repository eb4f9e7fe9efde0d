// Downloads other versions of Node to test the program on.
import { execFile } from 'node:child_process'
import { copyFileSync, existsSync, mkdirSync, mkdtempSync, renameSync, rmSync } from 'node:fs'
import { join } from 'node:path'
import { arch, platform } from 'node:process'
import { promisify } from 'node:util'

/** Machines for which npm has current Node versions, each as a separate package. */
const MACHINES = ['linux-x64', 'linux-arm64']

/**
 * Returns the path of a `node` of this version (`22`, `24.1.0`), downloaded through npm once with its licence and cached
 * under node_modules/.cache. Rejects if npm has none for this machine, or cannot be reached.
 */
export async function nodeBinary(root, version) {
  const machine = `${platform}-${arch}`
  if (!MACHINES.includes(machine)) throw new Error('npm has no Node for this machine')
  const name = `node-${machine}`
  const cache = join(root, 'node_modules/.cache/nodes')
  const home = join(cache, version)
  const binary = join(home, 'bin/node')
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
    // Copied, because the package is twice as large; then renamed, so that an incomplete file is never used.
    const whole = join(folder, 'node')
    mkdirSync(join(whole, 'bin'), { recursive: true })
    for (const file of ['bin/node', 'LICENSE'])
      copyFileSync(join(folder, 'node_modules', name, file), join(whole, file))
    try {
      renameSync(whole, home)
    } catch (error) {
      // Another process was first.
      if (!existsSync(binary)) throw error
    }
    return binary
  } finally {
    rmSync(folder, { recursive: true, force: true })
  }
}
