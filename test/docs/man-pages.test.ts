import { describe, expect, test } from 'vitest'
import { tree } from '../../src/cli/tree.ts'
import { allCommands } from '../../src/generate/reference-files.ts'
import { filesIn, read } from '../support/sources.ts'

const paths = filesIn('man')
const pages = paths.map((path) => [path, read(path)] as const)
const sections = (text: string): string[] => [...text.matchAll(/^\.SH (.+)$/gm)].map((it) => it[1] as string)
/** A page as a reader sees it, without requests and escapes. */
const plain = (text: string): string =>
  text
    .replaceAll(/\\f[BIR]/g, '')
    .replaceAll(/\\-/g, '-')
    .replaceAll('\\(aq', "'")
    .replaceAll('\\e', '\\')

test('parley and every noun have a page, and the package names each', () => {
  expect(paths.toSorted()).toEqual(['man/parley.1', ...Object.keys(tree).map((it) => `man/parley-${it}.1`)].toSorted())
  const { man, files } = JSON.parse(read('package.json')) as { man: string[]; files: string[] }
  // The build compresses them; the package check finds each in the tarball.
  expect(man.toSorted()).toEqual(paths.map((it) => `./dist/${it}.gz`).toSorted())
  expect(files).toContain('dist')
})

describe('each page', () => {
  test.each(pages)('%s has its title and its sections in the usual order', (path, text) => {
    const [, name] = /man\/(.*)\.1/.exec(path) as unknown as [string, string]
    const first = text.split('\n').find((it) => !it.startsWith('.\\"'))
    expect(first).toBe(
      `.TH ${name.toUpperCase().replaceAll('-', '\\-')} 1 "" "Parley ${JSON.parse(read('package.json')).version}" "Parley Manual"`,
    )
    const usual = [
      'NAME',
      'SYNOPSIS',
      'DESCRIPTION',
      'COMMANDS',
      'OPTIONS',
      'EXIT STATUS',
      'ENVIRONMENT',
      'EXAMPLES',
      'SEE ALSO',
    ]
    expect(sections(text)).toEqual(usual.filter((it) => name === 'parley' || !['COMMANDS', 'ENVIRONMENT'].includes(it)))
    expect(plain(text)).toMatch(new RegExp(`\\.SH NAME\n${name} - \\S.*\n`))
  })

  test.each(pages)('%s uses only requests of man(7), and plain characters', (_, text) => {
    const requests = new Set([...text.matchAll(/^[.'](\\"|\w+)/gm)].map((it) => it[1]))
    expect(
      [...requests].filter(
        (it) => !['\\"', 'TH', 'nh', 'ad', 'SH', 'SS', 'PP', 'TP', 'IP', 'BR', 'br', 'EX', 'EE'].includes(it as string),
      ),
    ).toEqual([])
    expect(text).not.toMatch(/[^\n\x20-\x7e]/)
    expect(text.replaceAll(/\\(?:[-e]|f[BIR]|&|\((?:aq|ga|ha|ti)|\[u[0-9A-F]{4,6}\]|")/g, '')).not.toContain('\\')
  })
})

test('every command is on the page of its noun, with its examples', async () => {
  for (const [words, command] of await allCommands()) {
    const text = plain(read(`man/parley-${words.split(' ')[0]}.1`))
    expect(text).toContain(`parley ${words}`)
    for (const example of command.examples)
      expect(text.replaceAll(/\\\((?:ga|ha|ti)/g, '')).toContain(
        `parley ${words} ${example}`.trimEnd().replaceAll(/[`^~]/g, ''),
      )
  }
})

test('referenced pages exist', () => {
  const named = pages.flatMap(([, text]) =>
    [...plain(text).matchAll(/^\.BR (\S+) \(1\)/gm)].map((it) => it[1] as string),
  )
  expect(named.filter((it) => !paths.includes(`man/${it}.1`))).toEqual([])
})
