// Bundles the page of the inspector: compressed files that the server sends unchanged.
import { createHash } from 'node:crypto'
import { mkdirSync, readFileSync, writeFileSync } from 'node:fs'
import { join } from 'node:path'
import { gzipSync } from 'node:zlib'
import { rolldown } from 'rolldown'

const SOURCES = 'src/inspector/page'

/** Maximum size of all files together, compressed. */
const MAX_BYTES = 60_000

/** Removes comments and optional whitespace of a stylesheet. */
const smaller = (css) =>
  css
    .replace(/\/\*[\s\S]*?\*\//g, '')
    .replace(/\s+/g, ' ')
    .replace(/ ?([{};,>]) ?/g, '$1')
    .replaceAll(': ', ':')
    .replaceAll(';}', '}')
    .trim()

/**
 * Writes the page to `folder`. Names of files contain a hash of their content, so that browsers can store them for
 * ever. Returns the absolute paths of the bundled modules. Throws if the page is larger than 60 kB.
 */
export async function buildInspectorPage(root, folder) {
  mkdirSync(folder, { recursive: true })
  const { code, modules } = await bundle(root)
  const stylesheet = smaller(readFileSync(join(root, SOURCES, 'style.css'), 'utf8'))
  let page = readFileSync(join(root, SOURCES, 'index.html'), 'utf8')
  let total = 0
  const write = (name, text) => {
    const bytes = gzipSync(text, { level: 9 })
    total += bytes.length
    writeFileSync(join(folder, `${name}.gz`), bytes)
  }
  for (const [kind, text] of Object.entries({ js: code, css: stylesheet })) {
    const name = `inspector-${createHash('sha256').update(text).digest('hex').slice(0, 10)}.${kind}`
    write(name, text)
    if (!page.includes(`/inspector.${kind}"`)) throw new Error(`index.html does not load inspector.${kind}`)
    page = page.replace(`/inspector.${kind}"`, `/${name}"`)
  }
  write('index.html', page)
  if (total > MAX_BYTES) throw new Error(`the page of the inspector has ${total} bytes; at most ${MAX_BYTES}`)
  return modules
}

async function bundle(root) {
  const bundled = await rolldown({
    cwd: root,
    input: join(root, SOURCES, 'main.tsx'),
    platform: 'browser',
    // The options of the page, and not those of the program.
    tsconfig: join(root, SOURCES, 'tsconfig.json'),
    transform: {
      target: 'es2022',
      define: { 'process.env.NODE_ENV': '"production"' },
    },
    onLog(level, log, handle) {
      if (level === 'warn' && log.id?.includes('node_modules')) return
      handle(level === 'warn' ? 'error' : level, log)
    },
  })
  try {
    const { output } = await bundled.generate({ format: 'esm', minify: true, comments: false })
    if (output.length !== 1) throw new Error(`the page of the inspector has ${output.length} chunks; expected one`)
    return { code: output[0].code, modules: output[0].moduleIds }
  } finally {
    await bundled.close()
  }
}
