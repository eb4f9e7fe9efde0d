import { readdirSync, readFileSync, writeFileSync } from 'node:fs'
import { join } from 'node:path'
import { expect, test } from 'vitest'
import { hook, respond } from '../../support/flow-definitions.ts'
import { type Operator, operator } from '../../support/operator.ts'

const mark = '\ufeff'

/** Adds a byte order mark to a file, as some editors do when they save it. */
const addMark = (file: string): void => writeFileSync(file, `${mark}${readFileSync(file, 'utf8')}`)

const write = (by: Operator, name: string, text: string): void => writeFileSync(join(by.cwd, name), `${mark}${text}`)

test('a configuration that an editor saved with a byte order mark is read and written, and never moved away', async () => {
  const by = operator()
  await by.run('profile set prod --url https://h.example --api-key-stdin', { stdin: '1|abcdefghijklmnop\n' })
  addMark(join(by.configDir, 'config.json'))
  expect(await by.run('profile list')).toMatchObject({ exitCode: 0, stdout: expect.stringContaining('prod') })
  expect(
    await by.run('profile set other --url https://o.example --api-key-stdin', { stdin: '2|abcdefghijklmnop\n' }),
  ).toMatchObject({ exitCode: 0 })
  expect((await by.run('profile list')).stdout).toMatch(/other[\s\S]*prod|prod[\s\S]*other/)
  expect(readdirSync(by.configDir).filter((it) => it.startsWith('config.json'))).toEqual(['config.json'])
})

test('a configuration in UTF-16 is read, too', async () => {
  const by = operator()
  await by.run('profile set prod --url https://h.example')
  const file = join(by.configDir, 'config.json')
  writeFileSync(file, `${mark}${readFileSync(file, 'utf8')}`, 'utf16le')
  expect(await by.run('profile use prod')).toMatchObject({ exitCode: 0 })
  expect(await by.run('profile list')).toMatchObject({ exitCode: 0, stdout: expect.stringContaining('prod') })
})

test('the project file, vocabularies, credentials and lock files are read after a byte order mark', async () => {
  const by = operator()
  write(by, 'words.json', '{"version":1,"base":"public"}')
  write(by, '.parley.yaml', 'output: json\n')
  expect(JSON.parse((await by.run('tools list')).stdout)).toHaveLength(4)
  const vocabulary = await by.run('profile set there --url https://h.example --vocabulary words.json')
  expect(vocabulary.stderr).not.toContain('not valid JSON')
  for (const name of readdirSync(by.dataDir).filter((it) => it.endsWith('.json'))) addMark(join(by.dataDir, name))
  expect(await by.run('tools list')).toMatchObject({ exitCode: 0 })
})

test('documents are read after a byte order mark: JSON, YAML, NDJSON and CSV, from files and standard input', async () => {
  const by = operator()
  const lead = '{"campaign_id":1,"phone_number":"+14155550101"}'
  write(by, 'lead.json', lead)
  write(by, 'lead.yaml', 'campaign_id: 1\nphone_number: "+14155550102"\n')
  write(by, 'leads.csv', 'phone_number,first_name\n+14155550103,Ann\n')
  write(by, 'leads.ndjson', '{"phone_number":"+14155550104"}\n')
  write(by, 'list.json', '[{"phone_number":"+14155550105"}]')
  for (const line of [
    'leads create --file lead.json',
    'leads create --file lead.yaml',
    'leads import --campaign 1 --file leads.csv --yes',
    'leads import --campaign 1 --file leads.ndjson --yes',
    'leads import --campaign 1 --file list.json --yes',
  ])
    expect({ line, ...(await by.run(line)) }).toMatchObject({ line, exitCode: 0 })
  expect(await by.run('leads create --file -', { stdin: `${mark}${lead.replace('0101', '0106')}` })).toMatchObject({
    exitCode: 0,
  })
  expect(await by.json('leads list --campaign 1 --phone-number +1415555010 --all')).toHaveLength(6)
})

test('definitions, samples, mocks and exported data are read after a byte order mark', async () => {
  const by = operator()
  write(by, 'flow.json', JSON.stringify({ trigger: hook, steps: [respond('{{trigger.body}}')] }))
  write(by, 'sample.json', '{"a":1}')
  write(by, 'mock.json', '{"b":1}')
  for (const line of [
    'automate lint --file flow.json',
    'automate test --file flow.json --sample @sample.json --mock step_1=@mock.json',
    'automate create --name Marked --file flow.json --sample @sample.json',
  ])
    expect({ line, ...(await by.run(line)) }).toMatchObject({ line, exitCode: 0 })
  await by.run('server export --file data.yaml --include-secrets')
  addMark(join(by.cwd, 'data.yaml'))
  expect(await by.run('server reset --file data.yaml --yes')).toMatchObject({ exitCode: 0 })
})
