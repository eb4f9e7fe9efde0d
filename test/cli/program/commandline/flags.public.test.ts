import { describe, expect, test } from 'vitest'
import program from '../../../../package.json' with { type: 'json' }
import type { Command } from '../../../../src/cli/program/commandline/command.ts'
import { fieldFlags } from '../../../../src/cli/program/commandline/field-flags.ts'
import { globalFlags, shadowedGlobalFlags } from '../../../../src/cli/program/commandline/global-flags.ts'
import { createParser } from '../../../../src/cli/program/commandline/parser.ts'
import { accounts } from '../../../../src/contract/control/accounts.ts'
import { clock } from '../../../../src/contract/control/clock.ts'
import { platform } from '../../../../src/contract/control/platform.ts'
import { isNullable, unwrap } from '../../../../src/contract/endpoint/coerce.ts'
import type { Endpoint } from '../../../../src/contract/endpoint/endpoint.ts'
import { endpoints } from '../../../../src/contract/resources/index.ts'
import { allCommands } from '../../../../src/generate/reference-files.ts'
import { operator } from '../../../support/operator.ts'

/** What a word on the command line could mean: both `--x` and `--no-x` of a flag that has a negation. */
const meanings = (flags: string): string[] => flags.replace(/ [<[].*$/, '').split(/, */)
const globals = globalFlags.flatMap((it) => meanings(it.flags))
const negated = (names: readonly string[]): string[] =>
  names.map((it) => (it.startsWith('--no-') ? `--${it.slice(5)}` : it.replace(/^--/, '--no-')))

const isBefore = (a: string, b: string): boolean => a.localeCompare(b, 'en', { numeric: true }) < 0

/** Every endpoint as a command with nothing but its fields: the ones that are not built yet too. */
const bare: [string, Command][] = [
  ...endpoints,
  ...[accounts, clock, platform].flatMap((it) => Object.values(it) as Endpoint[]),
].map((endpoint) => [endpoint.name, { endpoint, examples: [], run: async () => {} }])
const built = (await allCommands()).map(([words, command]): [string, Command] => [words, command])

describe('a flag', () => {
  test('of a command never has the name or negation of a global flag, unless it sets a field', () => {
    const collisions = [...built, ...bare].flatMap(([words, command]) => {
      const parser = createParser(words, command)
      const own = parser.options.filter((option) => !globalFlags.some(({ flags }) => flags === option.flags))
      const names = own.flatMap((option) => meanings(option.flags))
      const taken = new Set([...globals, ...negated(globals.filter((name) => name.startsWith('--')))])
      return names.filter((name) => taken.has(name)).map((name) => `${words} ${name}`)
    })
    // The field is the text "--color" takes; "--no-color" stays the flag of the output, as no field of text has a negation.
    // "--header" takes the text of a header, and has no negation either: "--no-header" stays the flag of tables.
    // "--input" takes values of a tool. "--no-input" stays the flag that prevents prompts.
    expect([...new Set(collisions)].sort()).toEqual(
      [
        'folders create',
        'folders update',
        'folders.create',
        'folders.update',
        'labels create',
        'labels update',
        'labels.create',
        'labels.update',
      ]
        .map((it) => `${it} --color`)
        .concat('tools create --header', 'tools test --input', 'tools update --header'),
    )
  })

  test('keeps its older name where it now has the name of a global flag', async () => {
    const by = operator()
    expect(await by.json('labels create --name Urgent --color teal')).toMatchObject({ color: 'teal' })
    expect(await by.json('labels update Urgent --label-color red --no-color')).toMatchObject({ color: 'red' })
    expect(await by.json('folders create --name Praxis --folder-color blue')).toMatchObject({ color: 'blue' })
  })

  test.each(['labels create --name Urgent --color always', '--color never folders create --name Praxis'])(
    'of 0.1 for the output is refused by name: %s',
    async (line) => {
      const { exitCode, stderr, requests } = await operator().run(line)
      expect({ exitCode, requests }).toEqual({ exitCode: 2, requests: [] })
      expect(stderr).toMatch(
        /--color sets the color of the (label|folder) .*To set the color of the output, use --no-color, NO_COLOR=1 or FORCE_COLOR=1/s,
      )
    },
  )

  test('has one meaning per command', () => {
    const doubled = [...built, ...bare].flatMap(([words, command]) => {
      const names = createParser(words, command).options.flatMap((option) => meanings(option.flags))
      return names.filter((name, index) => names.indexOf(name) !== index).map((name) => `${words} ${name}`)
    })
    expect(doubled).toEqual([])
  })

  test('of a field has the name of the field', () => {
    const renamed = bare.flatMap(([name, command]) =>
      fieldFlags(command)
        .filter((flag) => flag.long !== `--${flag.field.replaceAll('_', '-')}`)
        .map((flag) => `${name} ${flag.long}`),
    )
    // Some have a name of their own: a global flag (--timeout), a field that is misspelled on the wire, and -f, --file of every body.
    expect(renamed).toEqual([
      'tools.create --tool-timeout',
      'tools.update --tool-timeout',
      'leads.create --allow-duplicate',
      'leads.createBatch --allow-duplicate',
      'knowledge.createDocument --knowledge-file',
      'platform.seed --platform-data',
      'platform.reset --platform-data',
    ])
  })

  test('is refused because its meaning changes for one release only', () => {
    for (const { refused } of Object.values(shadowedGlobalFlags))
      if (refused) expect(isBefore(program.version, refused), `${program.version} is before ${refused}`).toBe(true)
  })

  test('has a description', () => {
    const silent = built.flatMap(([words, command]) =>
      fieldFlags(command)
        .filter((flag) => flag.describe.startsWith(flag.field))
        .map((flag) => `${words} ${flag.long}`),
    )
    expect(silent).toEqual([])
  })

  test('of an update states once that a list is replaced and that null clears, if a value can exist', () => {
    const flags = [...built, ...bare].flatMap(([words, command]) =>
      fieldFlags(command).map((flag) => ({ words, ...flag, changes: command.endpoint?.method === 'PUT' })),
    )
    const isList = (it: (typeof flags)[number]) => unwrap(it.schema).kind === 'array'
    for (const flag of flags) {
      const said = [...flag.describe.matchAll(/null/g)].length
      expect(`${flag.words} ${flag.long}: ${said}`).toBe(
        `${flag.words} ${flag.long}: ${flag.changes && isNullable(flag.schema) ? 1 : 0}`,
      )
      expect(`${flag.words} ${flag.long}: ${flag.describe.includes('replaces the whole list')}`).toBe(
        `${flag.words} ${flag.long}: ${flag.changes && isList(flag)}`,
      )
    }
    const changed = flags.filter((it) => it.words === 'tools update' && isList(it)).map((it) => it.field)
    expect(changed).toEqual(['headers', 'static_fields', 'schema'])
  })
})

describe('--timeout', () => {
  test('of a tool and of a request have different names', async () => {
    const { run, json } = operator()
    await run('tools update 1 --tool-timeout 25 --request-timeout 5')
    expect((await json('tools get 1')).timeout).toBe(25)
  })

  test.each([
    'tools update 1 --timeout 25',
    'tools create --name x --timeout 25',
    '--timeout=25 tools update 1 --name x',
    'tools update 1 --timeout 25 --dry-run',
  ])('is refused if it is ambiguous, with both names: %s', async (line) => {
    const { exitCode, stdout, stderr, requests } = await operator().run(line)
    expect({ exitCode, stdout, requests }).toEqual({ exitCode: 2, stdout: '', requests: [] })
    expect(stderr).toContain('--tool-timeout 25')
    expect(stderr).toContain('--request-timeout 25')
  })

  test.each(['--request-timeout', '--timeout'])('of a request: %s', async (flag) => {
    const { exitCode, stderr } = await operator().run(`keys list ${flag} 0.05 --retries 0`, {
      through: () => new Promise(() => {}),
    })
    expect({ exitCode, stderr }).toMatchObject({
      exitCode: 9,
      stderr: expect.stringContaining('did not respond within 0.05 s'),
    })
    expect((await operator().run(`keys list ${flag} soon`)).stderr).toContain(`${flag} must be a number of seconds`)
  })

  test('of a request is shown under its new name alone', async () => {
    const { stdout } = await operator().run('help flags')
    expect(stdout).toContain('--request-timeout <seconds>')
    expect(stdout).not.toMatch(/ --timeout/)
  })
})
