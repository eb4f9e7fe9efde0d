import { readFileSync } from 'node:fs'
import { join } from 'node:path'
import { describe, expect, test } from 'vitest'
import type { Command } from '../../src/cli/program/commandline/command.ts'
import { findCommand } from '../../src/cli/program/commandline/find-command.ts'
import { globalFlags } from '../../src/cli/program/commandline/global-flags.ts'
import { createParser, parseCommandLine } from '../../src/cli/program/commandline/parser.ts'
import { allCommands } from '../../src/generate/reference-files.ts'
import { root } from '../support/sources.ts'
import { splitWords } from '../support/split-words.ts'
import { inlineOf, written } from './documentation-pages.ts'

// Blocks of shell are run: those of docs/ by commands-run.full.test.ts, those of the README by test/docs/readme-walkthrough.full.test.ts. This is about running text.

// What the changelog says of older versions was true then.
const read = written.filter((it) => it.path !== 'CHANGELOG.md')
const inline = read.flatMap((it) => inlineOf(it).map((text) => ({ path: it.path, text })))
/** Words that stand for what a reader has. */
const placeholder = /<[\w|-]+>|\.\.\.|\{ \.\.\. \}/

const globals = globalFlags.flatMap((it) => it.flags.match(/--?[\w-]+/g) ?? [])
const flagsOf = (words: string, command: Command): string[] => [
  ...globals,
  ...createParser(words, command).options.flatMap(({ long, short }) => [long ?? '', short ?? '']),
]

const commands = inline
  .flatMap(({ path, text }) =>
    [...text.matchAll(/(?:^|[\s(;|])parley ([a-z][^|;)]*)/g)].map((match) => ({
      path,
      line: (match[1] as string).replace(/ < .*/, '').trim(),
    })),
  )
  .filter(({ line }) => !/^(?:<noun>|help <)/.test(line))

describe('every command in running text exists and has the flags of the text', () => {
  test.each([...new Map(commands.map((it) => [it.line, it])).values()].map((it) => [it.line, it.path]))(
    'parley %s (%s)',
    async (line) => {
      const { path, node, rest, unknown } = findCommand(splitWords(line))
      expect(unknown).toBeUndefined()
      expect(node).toBeDefined()
      if (rest.length > 0 && node?.load) {
        const command = await node.load()
        // Without its values, a line is about flags: the command has to know them.
        if (placeholder.test(line) || rest.at(-1)?.startsWith('--')) {
          const known = flagsOf(path.join(' '), command)
          expect(rest.filter((word) => /^--?[a-z]/.test(word) && !known.includes(word.replace(/=.*/, '')))).toEqual([])
        } else expect(parseCommandLine(path.join(' '), command, rest).globals).toBeDefined()
      }
    },
  )

  test('many commands are checked', () => {
    expect(new Set(commands.map((it) => it.line)).size).toBeGreaterThan(60)
  })
})

test('every flag and every script that the text names exists', async () => {
  const flags = new Set((await allCommands()).flatMap(([words, command]) => flagsOf(words, command)))
  const named = inline
    .filter(({ text }) => text.startsWith('--'))
    .map(({ path, text }) => [path, text.split(' ')[0] as string] as const)
  expect(named.map(([, flag]) => flag)).toContain('--seed')
  const ofTools = ['--no-file-parallelism', '--rounds', '--rows', '--parked', '--before']
  expect(
    named.filter(
      ([path, flag]) => !flags.has(flag) && !(path === 'docs/benchmarks.md' && [...ofTools, '--json'].includes(flag)),
    ),
  ).toEqual([])
  const { scripts } = JSON.parse(readFileSync(join(root, 'package.json'), 'utf8')) as { scripts: object }
  const missing = read
    .flatMap((it) => [...it.text.matchAll(/\bnpm run ([\w:-]+)/g)].map((found) => found[1] as string))
    .filter((it) => !Object.hasOwn(scripts, it))
  expect(missing).toEqual([])
})
