import { readFileSync } from 'node:fs'
import { join } from 'node:path'
import { describe, expect, test } from 'vitest'
import { globalFlags } from '../../src/cli/globals.ts'
import { bodyFlags, unchangedFlag } from '../../src/cli/options.ts'
import { parse } from '../../src/cli/program.ts'
import { findCommand } from '../../src/cli/words.ts'
import { allCommands } from '../../src/generate/reference.ts'
import { splitWords } from '../words.ts'

// Every line of shell in the README is run by test/e2e/readme.test.ts; this is about what else it says.

const root = join(import.meta.dirname, '../..')
const readme = readFileSync(join(root, 'README.md'), 'utf8')
const inline = [...readme.matchAll(/`([^`\n]+)`/g)].map((it) => it[1] as string)

const named = [...readme.matchAll(/(?:^|[\s(;|`]|\$\()parley ([a-z][^|`;)>\n]*)/gm)].map((it) => (it[1] as string).replace(/ +#.*| <$| < .*/, '').trim())
/** Command lines, those of running text left out. */
const lines = [...new Set(named)].filter((it) => inline.includes(`parley ${it}`) || it.includes(' -'))

describe('every command the README names is one that help knows, with the flags it takes', () => {
  test.each(lines)('parley %s', async (line) => {
    const { path, node, rest, unknown } = findCommand(splitWords(line))
    expect(unknown).toBeUndefined()
    expect(node).toBeDefined()
    // Words alone name a command, or a noun.
    if (rest.length > 0 && node?.load) expect(parse(path.join(' '), await node.load(), rest).globals).toBeDefined()
  })

  test('and there are many', () => {
    expect(lines.length).toBeGreaterThan(60)
    expect(lines).toEqual(expect.arrayContaining(['server accounts update 1 --payment-method pm_card_declined', 'server accounts key 1 --name laptop -o id']))
  })
})

test('no flag that nothing takes, and no script that the package does not have', async () => {
  const own = (await allCommands()).flatMap(([, it]) => it.flags ?? [])
  const flags = [...own, ...globalFlags, ...bodyFlags, unchangedFlag].flatMap((it) => it.flags.match(/--[\w-]+/g) ?? [])
  const said = inline.filter((it) => it.startsWith('--')).map((it) => it.split(' ')[0] as string)
  expect(said).toContain('--seed')
  expect(said.filter((it) => !flags.includes(it))).toEqual([])
  const { scripts } = JSON.parse(readFileSync(join(root, 'package.json'), 'utf8')) as { scripts: object }
  expect([...readme.matchAll(/\bnpm run ([\w-]+)/g)].map((it) => it[1] as string).filter((it) => !Object.hasOwn(scripts, it))).toEqual([])
})
