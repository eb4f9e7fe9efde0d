import { execFileSync } from 'node:child_process'
import { writeFileSync } from 'node:fs'
import { join } from 'node:path'
import { describe, expect, test } from 'vitest'
import { addProgram, newPlace, run } from '../e2e/support/built-program.ts'
import { blocksOf, page } from './documentation-pages.ts'

// The examples of docs/testing-with-parley.md in other languages, run as they are written where the language is installed.

/** Files of the page by the way to run them: `# conftest.py (pytest)` in the first line of a block. */
const examples = new Map<string, { readonly name: string; readonly text: string }[]>()
for (const { kind, text } of blocksOf(page('docs/testing-with-parley.md'))) {
  const [, name, runner] = /^(?:#|\/\/) (\S+) \((.+)\)\n/.exec(text) ?? []
  if (name === undefined || runner === undefined || !['python', 'go'].includes(kind)) continue
  examples.set(runner, [...(examples.get(runner) ?? []), { name, text }])
}

interface Language {
  readonly runner: string
  readonly line: readonly [string, ...string[]]
  /** Prints something and ends with 0 where the language and its test runner are installed. */
  readonly probe: readonly [string, ...string[]]
  readonly passed: RegExp
  readonly files?: Readonly<Record<string, string>>
}
const languages: readonly Language[] = [
  {
    runner: 'pytest',
    line: ['python3', '-m', 'pytest', '-q'],
    probe: ['python3', '-m', 'pytest', '--version'],
    passed: /2 passed/,
  },
  {
    runner: 'unittest: python3 -m unittest',
    line: ['python3', '-m', 'unittest'],
    probe: ['python3', '--version'],
    passed: /Ran 1 test[\s\S]*OK/,
  },
  {
    runner: 'go test',
    line: ['go', 'test', './...'],
    probe: ['go', 'version'],
    passed: /^ok/m,
    files: { 'go.mod': 'module clinic\n\ngo 1.21\n' },
  },
]

const isInstalled = ([program, ...words]: Language['probe']): boolean => {
  try {
    execFileSync(program, words, { stdio: 'ignore' })
    return true
  } catch {
    return false
  }
}

test('every example names a way to run it that is tried here', () => {
  expect([...examples.keys()]).toEqual(languages.map((it) => it.runner))
})

test('the fixture of pytest is short', () => {
  const fixture = examples.get('pytest')?.find((it) => it.name === 'conftest.py')?.text
  expect(fixture?.trim().split('\n').length).toBeLessThanOrEqual(25)
})

describe('the tests in other languages pass against the installed program', () => {
  test.each(languages.filter((it) => isInstalled(it.probe)))(
    '$runner',
    async ({ runner, line, passed, files = {} }) => {
      const at = newPlace()
      const programs = join(at.dir, 'node_modules/.bin')
      addProgram(programs)
      for (const { name, text } of examples.get(runner) ?? []) writeFileSync(join(at.dir, name), text)
      for (const [name, text] of Object.entries(files)) writeFileSync(join(at.dir, name), text)
      const [program, ...words] = line
      const { exitCode, stdout, stderr } = await run(program, words, { at })
      expect(exitCode, stdout + stderr).toBe(0)
      expect(stdout + stderr).toMatch(passed)
    },
  )
})
