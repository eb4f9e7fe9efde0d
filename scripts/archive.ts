// Packs the executable for a release: npm run archive [-- --binary <file>] [--out <folder>].
import { statSync } from 'node:fs'
import { join, resolve } from 'node:path'
import { argv, exit, platform, stderr, stdout } from 'node:process'
import { parseArgs } from 'node:util'
import { buildArchive, executablesFolder, writeSums } from './release/archive.ts'

try {
  const root = join(import.meta.dirname, '..')
  const { values } = parseArgs({
    args: argv.slice(2),
    options: {
      binary: { type: 'string', default: join(root, `release/binary/parley${platform === 'win32' ? '.exe' : ''}`) },
      out: { type: 'string', default: executablesFolder(root) },
    },
  })
  const files = buildArchive({ root, binary: resolve(values.binary), out: resolve(values.out) })
  writeSums(files)
  for (const file of files) stdout.write(`${file}: ${(statSync(file).size / 1e6).toFixed(1)} MB\n`)
} catch (error) {
  stderr.write(`archive: ${(error as Error).message}\n`)
  exit(1)
}
