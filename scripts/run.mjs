// Runs a TypeScript file: node scripts/run.mjs src/generate/generated-files.ts --check. (Node 20 cannot run
// TypeScript.)
import { spawn } from 'node:child_process'
import { mkdirSync, mkdtempSync, rmSync } from 'node:fs'
import { constants } from 'node:os'
import { dirname, join, resolve } from 'node:path'
import process, { argv, execPath, exit, stderr } from 'node:process'
import { fileURLToPath, pathToFileURL } from 'node:url'
import { rolldown } from 'rolldown'

const root = resolve(fileURLToPath(import.meta.url), '../..')

/** Replaces import.meta.url and similar by the location of the source, because the bundle is elsewhere. */
const ownPlace = {
  name: 'own-place',
  transform(code, id) {
    if (id.includes('node_modules') || !code.includes('import.meta.')) return null
    const places = { url: pathToFileURL(id).href, dirname: dirname(id), filename: id }
    // No source map is needed, because lines do not change.
    return {
      code: code.replace(/\bimport\.meta\.(url|dirname|filename)\b/g, (_, name) => JSON.stringify(places[name])),
      map: null,
    }
  },
}

async function run(file, args) {
  // Inside node_modules, so that unbundled packages are found, and tools that walk the project do not see it.
  const cache = join(root, 'node_modules/.cache')
  mkdirSync(cache, { recursive: true })
  const folder = mkdtempSync(join(cache, 'run-'))
  const remove = () => rmSync(folder, { recursive: true, force: true })
  try {
    const bundled = await rolldown({
      input: { main: resolve(file) },
      platform: 'node',
      external: /^[^./]/,
      plugins: [ownPlace],
    })
    await bundled.write({
      dir: folder,
      format: 'esm',
      sourcemap: true,
      entryFileNames: '[name].mjs',
      chunkFileNames: '[name]-[hash].mjs',
    })
    await bundled.close()
  } catch (error) {
    remove()
    throw error
  }
  const child = spawn(execPath, ['--enable-source-maps', join(folder, 'main.mjs'), ...args], { stdio: 'inherit' })
  // A terminal sends Ctrl-C to the child too; a plain kill reaches only this process.
  process.on('SIGINT', () => {})
  process.on('SIGTERM', () => child.kill('SIGTERM'))
  return new Promise((done) => {
    child.on('close', (code, signal) => {
      remove()
      done(code ?? 128 + (constants.signals[signal] ?? 0))
    })
  })
}

const [file, ...args] = argv.slice(2)
if (!file) {
  stderr.write('usage: node scripts/run.mjs <file.ts> [arguments]\n')
  exit(2)
}
try {
  exit(await run(file, args))
} catch (error) {
  stderr.write(`run: ${error.message}\n`)
  exit(1)
}
