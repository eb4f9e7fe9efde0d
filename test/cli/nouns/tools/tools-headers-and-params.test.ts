import { describe, expect, test } from 'vitest'
import { operator } from '../../../support/operator.ts'

const weather =
  'tools create --name weather --description "Tell the weather" --endpoint https://weather.example/{town} --method GET'

test('a tool is created with headers and parameters without JSON', async () => {
  const { json } = operator()
  const flags =
    "--header 'X-Api-Key: s3cret:with:colons' --header 'Accept:text/plain' --param town:string:required --param 'days:number=Number of days, up to 7'"
  const { id } = await json(`${weather} ${flags}`)
  expect(await json(`tools get ${id} --unmask`)).toMatchObject({
    headers: [
      { name: 'X-Api-Key', value: 's3cret:with:colons' },
      { name: 'Accept', value: 'text/plain' },
    ],
    schema: [
      { name: 'town', type: 'string', description: 'Value of town', required: true },
      { name: 'days', type: 'number', description: 'Number of days, up to 7', required: false },
    ],
  })
})

test('an update sets one header and one parameter, and keeps the others', async () => {
  const { json } = operator()
  const { id } = await json(
    `${weather} --header 'X-Api-Key: old' --header 'Accept: text/plain' --param 'town:string:required=Name of the town' --param days:number`,
  )
  await json(`tools update ${id} --header 'x-api-key: new' --param town:string --param unit:boolean`)
  expect(await json(`tools get ${id} --unmask`)).toMatchObject({
    headers: [
      { name: 'x-api-key', value: 'new' },
      { name: 'Accept', value: 'text/plain' },
    ],
    schema: [
      { name: 'town', type: 'string', description: 'Name of the town', required: false },
      { name: 'days', type: 'number', required: false },
      { name: 'unit', type: 'boolean', required: false },
    ],
  })
})

test('they are added to the lists of --headers, --schema and --file', async () => {
  const { json } = operator()
  const lists = `--headers '[{name: A, value: "1"}]' --data '{schema: [{name: town, type: string, description: Name of the town}]}'`
  expect((await json(`${weather} ${lists} --header 'B: 2' --param days:float --dry-run`)).body).toMatchObject({
    headers: [
      { name: 'A', value: '1' },
      { name: 'B', value: '2' },
    ],
    schema: [{ name: 'town' }, { name: 'days', type: 'float' }],
  })
})

test('the header line of tables is omitted by --no-header as before', async () => {
  const { run } = operator()
  const both = await run(`${weather} --header 'A: 1' --no-header -o tsv`)
  const shown = await run(`tools update weather --header 'A: 2' -o tsv`)
  expect([both.exitCode, shown.exitCode]).toEqual([0, 0])
  expect(both.stdout).not.toContain('Name\t')
})

describe('a header with a secret', () => {
  const secret = 'unmistakable-secret'

  test.each([
    [`${weather} --header 'Authorization: Bearer ${secret}' --dry-run`],
    [`${weather} --header 'Authorization: Bearer ${secret}' --print-curl`],
    [`${weather} --header 'Authorization: Bearer ${secret}'`],
    [`${weather} --header 'Authorization: Bearer ${secret}' --json`],
    [`tools update lookup_patient --header 'Authorization: Bearer ${secret}' --dry-run`],
    [`tools update lookup_patient --header 'Authorization: Bearer ${secret}'`],
    [`tools update lookup_patient --header 'Authorization: Bearer ${secret}' --json`],
    [`tools update lookup_patient --endpoint 'https://shop:${secret}@shop.example/?token=${secret}' --print-curl`],
    [`tools update lookup_patient --endpoint 'https://shop:${secret}@shop.example/?token=${secret}' --dry-run`],
    [`${weather} --header 'Authorization Bearer ${secret}'`],
    [`${weather} --header '${secret} x: Bearer'`],
    [`${weather} --header 'Authorization: ${secret}' --header 'authorization: ${secret}'`],
  ])('is never printed: %s', async (line) => {
    const { stdout, stderr } = await operator().run(line)
    expect(stdout + stderr).not.toContain(secret)
  })

  test('is a variable in the equivalent command of a prompt', async () => {
    const line = `tools create --name weather --description "Tell the weather" --method GET --header 'X-Api-Key: ${secret}'`
    const { stdout, stderr } = await operator().run(line, { answers: [['URL to call', 'https://weather.example']] })
    expect(stderr).toContain('--header "X-Api-Key: $X_API_KEY"')
    expect(stdout + stderr).not.toContain(secret)
  })
})

test.each([
  ["--header 'X-Key'", 'Invalid --header: it has no colon.', "Use 'Name: value'"],
  ["--header 'X Key: 1'", 'the text before the colon is not the name of a header.', "Use 'Name: value'"],
  ["--header ': 1'", 'the text before the colon is not the name of a header.', "Use 'Name: value'"],
  ["--header 'A: 1' --header 'a: 2'", '--header was passed twice for "a".', 'Pass it once.'],
  ['--param town', 'Invalid --param "town".', 'Use name:type[:required][=description]'],
  ['--param :string', 'Invalid --param ":string".', 'Use name:type'],
  [
    '--param town:strng',
    'Invalid type "strng" in --param "town:strng". Did you mean "string"?',
    'Types: string, number',
  ],
  ['--param town:string:needed', 'Invalid "needed" in --param "town:string:needed". Use "required", or omit it.', ''],
  ['--param town:string:required:x', 'Invalid --param "town:string:required:x".', ''],
  ['--param town:string --param town:number', '--param was passed twice for "town".', ''],
  ['--param 1town:string', 'Invalid name "1town"', 'no digit first'],
  ['--param town:string=a', 'The description in --param "town" has 1 characters.', 'Use 3 to 255.'],
])('%s is refused with the fix, and nothing is sent', async (flags, message, hint) => {
  const { exitCode, stderr, requests } = await operator().run(`${weather} ${flags}`)
  expect({ exitCode, writes: requests.filter((it) => !it.startsWith('GET')) }).toEqual({ exitCode: 2, writes: [] })
  expect(stderr).toContain(message)
  expect(stderr).toContain(hint)
})

test('a placeholder that nothing fills in is warned about, and the tool is created', async () => {
  const { run } = operator()
  const without = await run(`${weather} --static-fields '[{key: q, value: "in {town}"}]'`)
  expect(without).toMatchObject({ exitCode: 0 })
  expect(without.stderr).toMatch(/The URL has \{town\}.*parley tools update \d+ --param town:string:required/)
  expect(without.stderr).toContain('Sent unchanged: {town} in the static field "q".')
  expect((await run('tools update weather --param town:string:required')).stderr).not.toContain('The URL has')
  expect((await run('tools update weather --tool-timeout 9')).stderr).not.toContain('warning')
  const variable = weather.replace('{town}', '{{town}}').replace('weather ', 'second ')
  expect((await run(variable)).stderr).not.toContain('warning')
})
