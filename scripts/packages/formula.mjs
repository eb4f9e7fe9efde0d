// Writes the Homebrew formula of a release tarball: npm run formula -- <tarball> [--out <folder>].
import { createHash } from 'node:crypto'
import { mkdirSync, readFileSync, writeFileSync } from 'node:fs'
import { basename, join, resolve } from 'node:path'
import { argv, exit, stderr, stdout } from 'node:process'
import { fileURLToPath } from 'node:url'
import { parseArgs } from 'node:util'

const root = resolve(fileURLToPath(import.meta.url), '../../..')

/**
 * Returns the formula of a tarball. Node of Homebrew includes SQLite, so the drivers are left out: npm installs optional
 * packages globally unless no processor matches.
 */
export function formula(template, manifest, tarball, bytes) {
  const fields = {
    description: manifest.description.replace(/\.$/, ''),
    homepage: manifest.homepage.replace(/#.*/, ''),
    url: `${manifest.homepage.replace(/#.*/, '')}/releases/download/v${manifest.version}/${basename(tarball)}`,
    sha256: createHash('sha256').update(bytes).digest('hex'),
    license: manifest.license,
  }
  return template.replaceAll(/\{\{(\w+)\}\}/g, (_, name) => {
    if (!Object.hasOwn(fields, name)) throw new Error(`The formula has no field ${name}`)
    return fields[name]
  })
}

if (basename(argv[1] ?? '') === 'formula.mjs') {
  try {
    const { values, positionals } = parseArgs({
      args: argv.slice(2),
      allowPositionals: true,
      options: { out: { type: 'string', default: join(root, 'release/packages') } },
    })
    const [tarball] = positionals
    if (!tarball) throw new Error('Name the tarball. npm run pack writes one.')
    const manifest = JSON.parse(readFileSync(join(root, 'package.json'), 'utf8'))
    const template = readFileSync(join(root, 'deploy/parley.rb'), 'utf8')
    mkdirSync(values.out, { recursive: true })
    const file = join(values.out, 'parley.rb')
    writeFileSync(file, formula(template, manifest, tarball, readFileSync(tarball)))
    stdout.write(`${file}\n`)
  } catch (error) {
    stderr.write(`formula: ${error.message}\n`)
    exit(1)
  }
}
