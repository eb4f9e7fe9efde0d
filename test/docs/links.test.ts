import { existsSync } from 'node:fs'
import { dirname, join, posix } from 'node:path'
import { describe, expect, test } from 'vitest'
import { anchorOf } from '../../src/generate/markdown.ts'
import { read, root } from '../support/sources.ts'
import { blocksOf, inlineOf, type Page, page, pages, written } from './documentation-pages.ts'

/** Targets of the links of a page, without addresses on the web. */
const linksOf = ({ text }: Page): string[] =>
  [...text.replaceAll(/^```[\s\S]*?^```$/gm, '').matchAll(/(?<!\\)\]\(([^)\s]+)\)/g)]
    .map((it) => it[1] as string)
    .filter((it) => !/^https?:/.test(it))

/** Words of the blocks of shell. */
const scriptWords = (page: Page): string[] =>
  blocksOf(page).flatMap(({ kind, text }) => (kind === 'sh' ? text.split(/\s+/) : []))

const anchorsOf = ({ text }: Page): Set<string> =>
  new Set(
    [...text.replaceAll(/^```[\s\S]*?^```$/gm, '').matchAll(/^#+ (.+)$/gm)].map((match) =>
      anchorOf((match[1] as string).replaceAll(/\[([^\]]+)\]\([^)]*\)/g, '$1')),
    ),
  )

const anchors = new Map(pages.map((it) => [it.path, anchorsOf(it)]))

describe('every link has an existing file and heading', () => {
  test.each(pages.map((it) => [it.path, it] as const))('in %s', (path, page) => {
    const broken = linksOf(page).filter((link) => {
      const [file = '', anchor] = link.split('#')
      const target = file === '' ? path : posix.join(posix.dirname(path), file)
      if (!existsSync(join(root, target))) return true
      return anchor !== undefined && !anchors.get(target)?.has(anchor)
    })
    expect(broken, 'Links to a file or heading that does not exist').toEqual([])
  })
})

test('every page of docs is linked from the README', () => {
  const reached = new Set<string>()
  const follow = (path: string): void => {
    if (reached.has(path) || !anchors.has(path)) return
    reached.add(path)
    for (const link of linksOf(page(path))) follow(posix.join(dirname(path), link.split('#')[0] as string))
  }
  follow('README.md')
  expect(
    pages.map((it) => it.path).filter((it) => !reached.has(it) && it !== 'CHANGELOG.md'),
    'Pages that no page links to',
  ).toEqual([])
})

test('files and folders that a page names exist', () => {
  const missing = written
    .filter((it) => it.path !== 'CHANGELOG.md')
    .flatMap((it) => [...inlineOf(it), ...scriptWords(it)].map((name) => [it.path, name] as const))
    .filter(
      ([, name]) => /^(src|test|scripts|docs|bin|spec|man)\/[\w./-]+$/.test(name) && !existsSync(join(root, name)),
    )
  expect(missing, 'Paths in documentation that do not exist').toEqual([])
})

test('every decision has a date and says whether it still applies', () => {
  const decisions = pages.filter(({ path }) => /^docs\/decisions\/\d/.test(path))
  expect(decisions.length).toBeGreaterThan(13)
  const status = /^# .+\n\nDate: 20\d\d-\d\d-\d\d\. Status: (?:accepted|superseded by \[.+\]\(.+\.md\))\b.*\.\n/
  expect(decisions.filter(({ text }) => !status.test(text)).map(({ path }) => path)).toEqual([])
})

test('the page for agents has at most 60 lines', () => {
  expect(page('AGENTS.md').text.split('\n').length - 1).toBeLessThanOrEqual(60)
})

describe('the README', () => {
  const readme = page('README.md')

  test('has at most 12 KB', () => {
    expect(Buffer.byteLength(readme.text)).toBeLessThanOrEqual(12 * 1024)
  })

  test('describes Parley, a session, the setup, the guarantees and further reading, in this order', () => {
    const marks = [
      '# Parley',
      '**local platform**',
      '```text\n$ parley',
      'npm run demo',
      'npm test',
      '## Five minutes',
      '## What you can rely on',
      '## Documentation',
    ]
    const places = marks.map((it) => readme.text.indexOf(it))
    expect(places).not.toContain(-1)
    expect(places).toEqual(places.toSorted((a, b) => a - b))
    for (const promise of ['Money', 'undone', 'consent'])
      expect(readme.text).toMatch(new RegExp(`\\*\\*[^*]*${promise}[^*]*\\*\\*`))
  })
})

test('every package that the project uses has a line with the reason', () => {
  const { devDependencies, optionalDependencies } = JSON.parse(read('package.json')) as Record<
    string,
    Record<string, string>
  >
  const { text } = page('docs/decisions/README.md')
  const named = [...text.matchAll(/^\| `([^`]+)` \| \S/gm)].map((it) => it[1] as string)
  const used = Object.keys({ ...devDependencies, ...optionalDependencies })
  const covers = (line: string, name: string): boolean =>
    line === name || (line.endsWith('/*') && name.startsWith(line.slice(0, -1)))
  const where = 'in "Dependencies" of docs/decisions/README.md'
  expect(
    used.filter((name) => !named.some((line) => covers(line, name))),
    `Packages without a line ${where}`,
  ).toEqual([])
  expect(
    named.filter((line) => !used.some((name) => covers(line, name))),
    `Lines without a package ${where}`,
  ).toEqual([])
})
