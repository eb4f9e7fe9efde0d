import '../../../src/cli/resources.ts'
import { posix } from 'node:path'
import { expect, test } from 'vitest'
import { commandPath } from '../../../scripts/docs/command-pages.ts'
import { llmsText } from '../../../scripts/docs/llms-text.ts'
import { anchorsOf, sitePages } from '../../../scripts/docs/site-pages.ts'
import type { Node } from '../../../src/cli/program/commandline/command-tree.ts'
import { tree } from '../../../src/cli/tree.ts'
import { describePieces } from '../../../src/engine/pieces/describe-pieces.ts'
import { filesIn, read, root } from '../../support/sources.ts'

const site = await sitePages(root)

const withoutCode = (text: string): string => text.replaceAll(/^```[\s\S]*?^```$/gm, '').replaceAll(/`[^`\n]+`/g, '')

function pathsOf(words: string, node: Node): string[] {
  const below = Object.entries(node.verbs ?? {}).flatMap(([verb, child]) => pathsOf(`${words} ${verb}`, child))
  return [commandPath(words, node), ...below]
}

test('every command and noun has a page with its title', () => {
  const paths = Object.entries(tree).flatMap(([noun, node]) => pathsOf(noun, node))
  expect(paths.length).toBeGreaterThan(230)
  expect(paths.filter((it) => !site.pages.get(it)?.startsWith('# parley '))).toEqual([])
})

test('the page of a command has its flags, examples and exit codes', () => {
  const text = site.pages.get('commands/numbers/buy.md')
  expect(text).toContain('# parley numbers buy\n\n')
  expect(text).toMatch(/^\| `--max-price <usd>` \| \S/m)
  expect(text).toMatch(/## Examples\n\n```shell\nparley numbers buy/)
  expect(text).toMatch(/^\| 10 \| `consent` \| /m)
})

test('every piece has a page', () => {
  const missing = describePieces().filter(
    ({ piece, key }) => !site.pages.get(`pieces/${piece}.md`)?.includes(`\`${key}\``),
  )
  expect(missing.map((it) => it.key)).toEqual([])
})

test('every link leads to a page and a heading of the site', () => {
  const broken = [...site.pages].flatMap(([path, text]) =>
    [...withoutCode(text).matchAll(/(?<!\\)\]\(([^)\s]+)\)/g)]
      .map((it) => it[1] as string)
      .filter((link) => !/^[a-z]+:/.test(link))
      .filter((link) => {
        const [name = '', anchor] = link.split('#')
        const target = name === '' ? path : posix.join(posix.dirname(path), name)
        const page = site.pages.get(target)
        if (page === undefined) return !site.pictures.has(target)
        return anchor !== undefined && !anchorsOf(page).has(anchor)
      })
      .map((link) => `${path}: ${link}`),
  )
  expect(broken).toEqual([])
})

test('every page of docs is in the navigation or linked from a page that is', () => {
  const listed = site.navigation.flatMap(({ links }) => links.map(({ path }) => path.replace(/#.*/, '')))
  const pages = filesIn('docs').filter((it) => /^docs\/[^/]+\.md$/.test(it) && !/README|cli-reference/.test(it))
  expect(pages.map((it) => it.slice('docs/'.length)).filter((it) => !listed.includes(it))).toEqual([])
})

test('llms.txt lists every page once as Markdown, with the base address', () => {
  const text = llmsText(site, '/parley/')
  expect(text).toMatch(/^# Parley\n\n> Parley is a command line/)
  const listed = [...text.matchAll(/\]\(\/parley\/([^)#]+)/g)].map((it) => it[1] as string)
  expect([...new Set(listed)].sort()).toEqual([...site.pages.keys()].filter((it) => it !== 'index.md').sort())
})

test('the picture of the terminal has the session of the README', () => {
  const line = /^\$ parley (.+)$/m.exec(read('README.md'))?.[1] as string
  expect(read('docs/terminal.svg')).toContain(`</tspan> parley ${line}</text>`)
})
