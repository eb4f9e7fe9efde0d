import { mkdirSync, writeFileSync } from 'node:fs'
import { dirname, join } from 'node:path'
import { describe, expect, test } from 'vitest'
import { operator } from '../support/operator.ts'
import { blocksOf, linesOf, written } from './documentation-pages.ts'

// Blocks marked "sh" in docs/ hold command lines, which run here, in order, on one platform with sample data for each page. Blocks marked "bash" are scripts:
// test/docs/readme-walkthrough.full.test.ts runs them with the built program, as it does the README's.

const kinds = ['sh', 'bash', 'text', 'js', 'ts', 'json', 'yaml', 'csv', 'shell', 'python', 'go']
const docs = written.filter((it) => it.path.startsWith('docs/'))
const blocks = docs.map((it) => [it.path, blocksOf(it)] as const)

/** The exit code that a comment behind the line promises. */
const codeOf = (line: string): number => Number(/# .*exit (?:code )?(\d+)/.exec(line)?.[1] ?? 0)
const commandOf = (line: string): string => line.replace(/ +# .*$/, '')

test('every block of code names its language', () => {
  const odd = blocks.flatMap(([path, all]) =>
    all.filter((it) => !kinds.includes(it.kind)).map((it) => [path, it.kind, it.text.slice(0, 40)]),
  )
  expect(odd).toEqual([])
})

test('many command lines are tested', () => {
  expect(
    blocks.flatMap(([, all]) => all.filter((it) => it.kind === 'sh').flatMap((it) => linesOf(it.text))).length,
  ).toBeGreaterThan(60)
})

describe('every command line of the documentation runs as written', () => {
  const withLines = blocks.filter(([, all]) => all.some((it) => it.kind === 'sh'))

  test.each(withLines)('in %s', async (_, all) => {
    const by = operator()
    for (const block of all) {
      if (block.file !== undefined) {
        mkdirSync(dirname(join(by.cwd, block.file)), { recursive: true })
        writeFileSync(join(by.cwd, block.file), block.text)
      }
      if (block.kind !== 'sh') continue
      for (const line of linesOf(block.text)) {
        expect(line).toMatch(/^parley /)
        const { exitCode, stderr } = await by.run(commandOf(line).slice('parley '.length))
        expect(`${line}: ${exitCode}`, stderr).toBe(`${line}: ${codeOf(line)}`)
      }
    }
  })
})
