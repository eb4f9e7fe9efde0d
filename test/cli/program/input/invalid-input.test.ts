import { writeFileSync } from 'node:fs'
import { join } from 'node:path'
import { beforeAll, describe, expect, test } from 'vitest'
import { operator, type Run } from '../../../support/operator.ts'

// Every input error gets a message with a next step and the exit code for scripts, and changes nothing.

const by = operator({ lasts: 'file' })
const parley = (args: string | readonly string[]): Promise<Run> => by.run(args)

/** What may not change. */
const holdings = () => Promise.all(['numbers list', 'keys list', 'tools list'].map((line) => by.json(line)))
let before: Awaited<ReturnType<typeof holdings>>
beforeAll(async () => {
  before = await holdings()
})

const file = (name: string, text: string): string => {
  writeFileSync(join(by.cwd, name), text)
  return name
}

/** A failure has the same content as text and as JSON; stdout stays empty. */
function expectRefusal({ exitCode, stdout, stderr }: Run, code: number, ...said: readonly (string | RegExp)[]): void {
  for (const text of said) expect(stderr).toMatch(text)
  expect({ exitCode, stdout }).toEqual({ exitCode: code, stdout: '' })
  expect(stderr).not.toMatch(/inside Parley|undefined|\[object|\n {4}at /)
}

describe('words and flags', () => {
  test.each([
    ['a noun that does not exist', 'numbrs list', 'Did you mean "parley numbers"?'],
    ['a verb that does not exist', 'numbers lst', 'Did you mean "parley numbers list"?'],
    ['a noun alone', 'numbers', 'Usage: parley numbers <verb>'],
    ['a flag that does not exist', 'numbers list --nope', /--nope.*\nhint: See: parley numbers list --help/],
    ['a flag of another command', 'keys list --max-price 3', '--max-price'],
    ['an argument too many', 'tools get 1 2', 'See: parley tools get --help'],
    ['an argument where there is none', 'keys list 1', 'See: parley keys list --help'],
    ['a flag without its value', 'keys create --name', '--name'],
    ['an output form that does not exist', 'keys list -o xml', 'table, json, ndjson, yaml, tsv, csv, id'],
    ['two output forms', 'keys list --json -o yaml', '--json and --output yaml cannot be combined'],
    ['a limit of nothing', 'keys list --limit 0', 'Invalid --limit "0". Use a whole number from 1 to 999999999.'],
    ['a limit that is no number', 'keys list --limit ten', '--limit'],
    [
      'a time that is no number',
      'keys list --timeout soon',
      '--timeout must be a number of seconds from 0.01 to 86400, not "soon"',
    ],
    ['tries that are no number', 'keys list --retries -1', '--retries must be a whole number'],
    ['a field that does not exist', 'keys list --fields nmae', /nmae[\s\S]*name/],
    ['an invalid base URL', 'keys list --base-url nonsense', 'https://host'],
    ['a base URL of another kind', 'keys list --base-url ftp://host.example', 'https://host'],
    [
      'plain http to another machine',
      'keys list --base-url http://host.example',
      /the API key unencrypted[\s\S]*--insecure/,
    ],
  ])('%s', async (_, args, said) => {
    expectRefusal(await parley(args), 2, said)
  })

  test('a profile that does not exist is not found', async () => {
    const said = /Unknown profile "nobody".*\nhint: .*parley profile list/
    expectRefusal(await parley('keys list -p nobody'), 4, said)
  })

  test('the same in JSON is one object on stderr', async () => {
    for (const args of [
      'numbrs list --json',
      'keys list --nope -o ndjson',
      'tools create -o yaml',
      'keys list -o json --limit 0',
    ]) {
      const finished = await parley(args)
      expectRefusal(finished, 2)
      const { error } = JSON.parse(finished.stderr)
      expect(error).toMatchObject({ code: 'usage', status: null, details: [], next: [] })
      expect(error.message).toMatch(/\w.*\.$|\?$/)
    }
  })
})

describe('bodies', () => {
  test.each([
    ['nothing at all', ['tools', 'create'], /Missing --name, --description, --endpoint, --method\.\nhint: .*--help/],
    ['a field left out', ['keys', 'create'], /Missing --name\./],
    ['nothing to change', ['numbers', 'update', '1'], '--nickname'],
    ['JSON that ends early', ['tools', 'create', '--data', '{"name": "a"'], '--data is not valid JSON or YAML'],
    ['invalid YAML', ['tools', 'create', '--data', '{name: ['], '--data is not valid JSON or YAML'],
    ['a text in place of a body', ['tools', 'create', '--data', 'hello'], '--data must contain an object'],
    ['a list in place of a body', ['tools', 'create', '--data', '[1, 2]'], '--data must contain an object'],
    ['nothing on standard input', ['tools', 'create', '--file', '-'], '--file - is empty.'],
    [
      'a document with an error, which is quoted without empty lines',
      ['tools', 'create', '--data', '{name: [\n'],
      /^error: --data is not valid JSON or YAML: [^\n]+ at line 2, column 1:\n +\{name: \[\n +\^\n/,
    ],
    ['a missing file', ['tools', 'create', '--file', 'none.yaml'], /Could not read none\.yaml/],
    ['a folder in place of a file', ['tools', 'create', '--file', '.'], 'Could not read .: it is a folder.'],
    ['a field given without a value', ['tools', 'create', '--set', 'name'], 'Invalid --set "name". Use path=value.'],
    [
      'a field with broken JSON',
      ['tools', 'create', '--set-json', 'name={'],
      /--set-json name is not valid JSON[\s\S]*hint: .*--set/,
    ],
    ['a list with broken JSON', ['tools', 'update', '1', '--schema', '[{'], '--schema is not valid JSON or YAML'],
    [
      'a list from a missing file',
      ['tools', 'update', '1', '--schema', '@none'],
      /--schema: Could not read none: no such file\./,
    ],
  ])('%s', async (_, args, said) => {
    expectRefusal(await parley(args), 2, said)
  })

  test('a file with broken YAML is reported with its position', async () => {
    expectRefusal(
      await parley(['tools', 'create', '--file', file('broken.yaml', 'name: a\n  method: GET\n')]),
      2,
      '--file broken.yaml',
      /line \d/,
    )
  })

  test('a file that is too large is refused', async () => {
    expectRefusal(
      await parley(['tools', 'create', '--file', file('large.yaml', 'x'.repeat(3_000_000))]),
      2,
      'large.yaml is larger than 2 MB',
    )
  })

  test.each([
    ['a name of 300 characters', ['keys', 'create', '--name', 'n'.repeat(300)], /--name: .*255 characters/],
    ['an invalid URL', ['tools', 'update', '1', '--endpoint', 'nowhere'], /--endpoint: /],
    ['a text in place of a number', ['tools', 'update', '1', '--tool-timeout', 'abc'], /--tool-timeout: .*integer/],
    ['a country without numbers', ['numbers', 'search', '--country', 'ZZ'], '--country'],
    ['letters in place of digits', ['numbers', 'search', '--contains', 'abc'], '--contains'],
  ])('%s is rejected by the platform, and the flag is named', async (_, args, said) => {
    expectRefusal(await parley(args), 6, said)
  })
})

describe('ids', () => {
  test.each([
    ['an unknown name', 'tools get nothing', /No tool "nothing" found.\nhint: List tools: parley tools list/],
    ['an unknown id', 'tools get 999', 'Tool not found'],
    ['an id below all numbers', 'tools get -- -1', 'No tool "-1" found'],
    [
      'a number one does not own',
      'numbers release +14155550000 --yes',
      /No number.*\nhint: List numbers: parley numbers list/,
    ],
  ])('%s', async (_, args, said) => {
    expectRefusal(await parley(args), 4, said)
  })

  test('an id beyond 2^53 is not rounded to that of another resource', async () => {
    expectRefusal(await parley('tools get 99999999999999999999'), 4, 'Tool not found')
  })

  test('an id is required without a terminal', async () => {
    for (const verb of ['get', 'delete', 'update'])
      expectRefusal(await parley(`tools ${verb}${verb === 'update' ? ' --method GET' : ''}`), 2, 'parley tools list')
  })

  test('a name of two resources is refused with both ids', async () => {
    const twins = operator()
    for (let n = 0; n < 2; n++) await twins.run('keys create --name twin')
    expectRefusal(await twins.run('keys delete twin --yes'), 2, /Several keys are named.*: \d+, \d+/)
  })
})

describe('phone numbers', () => {
  test.each([
    ['no plus sign', '14155550123', 'E.164'],
    ['a plus sign that a document took away', '14155550123.0', 'E.164'],
    ['zeros in place of the plus sign', '00442071838750', 'Did you mean +442071838750?'],
    ['letters in it', '+1415CALLNOW', 'E.164'],
    ['no country', '+0415555012', 'E.164'],
    ['too many digits', '+1415555012345678', 'E.164'],
  ])('with %s nothing is bought, also with --yes', async (_, number, said) => {
    expectRefusal(await parley(['numbers', 'buy', number, '--yes']), 2, said)
  })

  test('a plus sign and leading zeros survive a YAML document', async () => {
    const made = await parley(['tools', 'create', '--file', file('tool.yaml', yamlTool), '--dry-run', '--json'])
    expect(JSON.parse(made.stdout).body).toMatchObject({
      static_fields: [
        { key: 'from', value: '+14155550123' },
        { key: 'code', value: '0044207' },
      ],
      timeout: 20,
    })
  })

  test.each([
    ['a price that is no number', 'numbers buy +15005550006 --yes --max-price cheap', 2, 'Invalid --max-price'],
    ['a price below what it costs', 'numbers buy +15005550006 --yes --max-price 0.5', 5, 'Nothing was bought'],
    ['a number and a search together', 'numbers buy +15005550006 --country US --yes', 2, 'Pass one or the other'],
    ['no number and no price', 'numbers buy --yes', 2, '--max-price'],
    ['no consent', 'numbers buy +15005550006', 10, '--yes'],
    ['no consent to the cheapest', 'numbers buy --max-price 50', 10, '--yes'],
    ['one that is taken', 'numbers buy +15005550000 --yes', 5, 'already in use'],
    ['one that is not for sale', 'numbers buy +15005550001 --yes', 5, 'parley numbers search'],
    ['no payment method', 'numbers buy +15005550002 --yes', 13, 'payment method'],
    ['a payment that is declined', 'numbers buy +15005550003 --yes', 13, 'payment'],
    ['a provider that fails', 'numbers buy +15005550004 --yes', 8, /./],
  ])('buying with %s', async (_, args, code, said) => {
    expectRefusal(await parley(args), code, said)
  })
})

test('after these commands nothing has changed, and no purchase is open', async () => {
  expect(await holdings()).toEqual(before)
  expect((await parley('ops list --open --json')).stdout).toBe('[]\n')
})

const yamlTool = `
name: caller
description: Tells who calls.
endpoint: https://tools.example/caller
method: POST
timeout: 20
static_fields:
  - key: from
    value: +14155550123
  - key: code
    value: 0044207
`
