import { describe, expect, test } from 'vitest'
import type { Command } from '../../src/cli/command.ts'
import { globalFlags } from '../../src/cli/globals.ts'
import { fieldFlags } from '../../src/cli/options.ts'
import { createParser } from '../../src/cli/program.ts'
import { clock } from '../../src/contract/clock.ts'
import { isNullable, unwrap } from '../../src/contract/coerce.ts'
import { accounts, platform } from '../../src/contract/control.ts'
import type { Endpoint } from '../../src/contract/endpoint.ts'
import { endpoints } from '../../src/contract/index.ts'
import { allCommands } from '../../src/generate/reference.ts'
import { operator } from '../harness.ts'

/** What a word on the command line could mean: both `--x` and `--no-x` of a flag that has a negation. */
const meanings = (flags: string): string[] => flags.replace(/ [<[].*$/, '').split(/, */)
const globals = globalFlags.flatMap((it) => meanings(it.flags))
const negated = (names: readonly string[]): string[] => names.map((it) => (it.startsWith('--no-') ? `--${it.slice(5)}` : it.replace(/^--/, '--no-')))

/** Every endpoint as a command with nothing but its fields: the ones that are not built yet too. */
const bare: [string, Command][] = [...endpoints, ...[accounts, clock, platform].flatMap((it) => Object.values(it) as Endpoint[])].map((endpoint) => [
  endpoint.name,
  { endpoint, examples: [], run: async () => {} },
])
const built = (await allCommands()).map(([words, it]): [string, Command] => [words, it])

describe('a flag', () => {
  test('of a command never has the name of a global one, or the negation of one', () => {
    const collisions = [...built, ...bare].flatMap(([words, it]) => {
      const parser = createParser(words, it)
      const own = parser.options.filter((option) => !globalFlags.some(({ flags }) => flags === option.flags))
      const names = own.flatMap((option) => meanings(option.flags))
      const taken = new Set([...globals, ...negated(globals.filter((name) => name.startsWith('--')))])
      return names.filter((name) => taken.has(name)).map((name) => `${words} ${name}`)
    })
    expect(collisions).toEqual([])
  })

  test('means one thing in its command', () => {
    const doubled = [...built, ...bare].flatMap(([words, it]) => {
      const names = createParser(words, it).options.flatMap((option) => meanings(option.flags))
      return names.filter((name, index) => names.indexOf(name) !== index).map((name) => `${words} ${name}`)
    })
    expect(doubled).toEqual([])
  })

  test('of a field that is called like a global one takes its noun in front', () => {
    const renamed = bare.flatMap(([name, it]) =>
      fieldFlags(it)
        .filter((flag) => flag.long !== `--${flag.field.replaceAll('_', '-')}`)
        .map((flag) => `${name} ${flag.long}`),
    )
    expect(renamed).toEqual(expect.arrayContaining(['tools.create --tool-timeout', 'tools.update --tool-timeout']))
    for (const it of renamed) expect(it).toMatch(/^\w+\.\w+ --[a-z-]+-[a-z-]+$/)
  })

  test('says what it is for, in words of its own', () => {
    const silent = built.flatMap(([words, it]) =>
      fieldFlags(it)
        .filter((flag) => flag.describe.startsWith(flag.field))
        .map((flag) => `${words} ${flag.long}`),
    )
    expect(silent).toEqual([])
  })

  test('of a change tells that a list is replaced and that null clears, once; and nothing of that where nothing stands yet', () => {
    const flags = [...built, ...bare].flatMap(([words, it]) => fieldFlags(it).map((flag) => ({ words, ...flag, changes: it.endpoint?.method === 'PUT' })))
    const isList = (it: (typeof flags)[number]) => unwrap(it.schema).kind === 'array'
    for (const it of flags) {
      const said = [...it.describe.matchAll(/null/g)].length
      expect(`${it.words} ${it.long}: ${said}`).toBe(`${it.words} ${it.long}: ${it.changes && isNullable(it.schema) ? 1 : 0}`)
      expect(`${it.words} ${it.long}: ${it.describe.includes('replaces the whole list')}`).toBe(`${it.words} ${it.long}: ${it.changes && isList(it)}`)
    }
    const changed = flags.filter((it) => it.words === 'tools update' && isList(it)).map((it) => it.field)
    expect(changed).toEqual(['headers', 'static_fields', 'schema'])
  })
})

test('--tool-timeout is the tool’s, --timeout the request’s', async () => {
  const { run, json } = operator()
  await run('tools update 1 --tool-timeout 25 --timeout 5')
  expect((await json('tools get 1')).timeout).toBe(25)
  const { exitCode, stderr } = await run('keys list --timeout 0.05 --retries 0', { through: () => new Promise(() => {}) })
  expect({ exitCode, stderr }).toMatchObject({ exitCode: 9, stderr: expect.stringContaining('did not answer within 0.05 s') })
})
