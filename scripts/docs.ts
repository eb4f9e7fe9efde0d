// The resources and commands are registered before pages are made of them.
import '../src/cli/resources.ts'
import '../src/cli/tree.ts'

import { cpSync, mkdirSync, readFileSync, rmSync, watch, writeFileSync } from 'node:fs'
import { dirname, join, resolve } from 'node:path'
import process from 'node:process'
import { execa } from 'execa'
import { deadLinks } from './docs/check-links.ts'
import { llmsText } from './docs/llms-text.ts'
import { type Site, sitePages } from './docs/site-pages.ts'

// The documentation site: `npm run docs` serves it and follows changes, `npm run docs:build` writes site/dist.
// Other arguments go to VitePress: --base /parley/, --port 8080.

const root = resolve(import.meta.dirname, '..')
const folder = join(root, 'site/pages')
const [first = '', ...rest] = process.argv.slice(2)
const isBuild = first === 'build'
const args = isBuild ? rest : process.argv.slice(2)
const base = args[args.indexOf('--base') + 1]?.startsWith('/') ? (args[args.indexOf('--base') + 1] as string) : '/'

/** Writes the pages that changed. */
function writeSite({ pages, pictures, navigation, commands }: Site): void {
  const files = new Map<string, string | Buffer>([
    ...pages,
    ...[...pictures].map(([path, picture]) => [path, picture] as const),
    ['navigation.json', JSON.stringify({ navigation, commands: commands.map(({ path, title }) => ({ path, title })) })],
  ])
  for (const [path, content] of files) {
    const file = join(folder, path)
    mkdirSync(dirname(file), { recursive: true })
    if (readOrNothing(file) !== content.toString()) writeFileSync(file, content)
  }
}

function readOrNothing(file: string): string | undefined {
  try {
    return readFileSync(file).toString()
  } catch {
    return undefined
  }
}

/** Adds what machines read: each page as Markdown, and llms.txt, which lists them. */
function addMarkdown(site: Site, dist: string): void {
  for (const path of site.pages.keys()) cpSync(join(folder, path), join(dist, path))
  for (const path of site.pictures.keys()) cpSync(join(folder, path), join(dist, path))
  writeFileSync(join(dist, 'llms.txt'), llmsText(site, base))
}

rmSync(folder, { recursive: true, force: true })
const site = await sitePages(root)
writeSite(site)
const vitepress = (...words: readonly string[]) =>
  execa(process.execPath, [join(root, 'node_modules/vitepress/bin/vitepress.js'), ...words], {
    stdio: 'inherit',
    cwd: root,
    reject: false,
  })
if (isBuild) {
  const { exitCode } = await vitepress('build', 'docs', ...args)
  if (exitCode !== 0) process.exit(exitCode ?? 1)
  const dist = join(root, 'site/dist')
  addMarkdown(site, dist)
  const dead = deadLinks(dist, base)
  if (dead.length > 0) {
    process.stderr.write(`Links to pages or headings that do not exist:\n${dead.join('\n')}\n`)
    process.exit(1)
  }
  process.stdout.write(`${site.pages.size} pages in site/dist\n`)
} else {
  let waiting: NodeJS.Timeout | undefined
  watch(join(root, 'docs'), { recursive: true }, () => {
    clearTimeout(waiting)
    waiting = setTimeout(
      () => void sitePages(root).then(writeSite, (error: Error) => process.stderr.write(`${error.message}\n`)),
      100,
    )
  })
  await vitepress('dev', 'docs', ...args)
}
