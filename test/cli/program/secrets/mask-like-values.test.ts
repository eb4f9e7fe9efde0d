import { writeFileSync } from 'node:fs'
import { join } from 'node:path'
import { describe, expect, test } from 'vitest'
import { resources } from '../../../../src/cli/program/resources/registry.ts'
import { endpoints } from '../../../../src/contract/resources/index.ts'
import { http, webhook } from '../../../support/automation-nodes.ts'
import { operator } from '../../../support/operator.ts'

/** How four deployments show a credential. */
const foreignMasks = ['********', '••••1234', '[redacted]', '<secret>'] as const

const by = operator({ lasts: 'file' })
const writes = (requests: readonly string[]): string[] => requests.filter((it) => !it.startsWith('GET '))

describe('a value that looks like a mask is refused in the place of a credential', () => {
  const written = endpoints.filter((it) => it.body && it.risk !== 'read')

  test('the endpoints are those of all resources', () => {
    const names = Object.values(resources).flatMap((it) => Object.keys(it.writes))
    const bodies = names.filter((name) => endpoints.find((it) => it.name === name)?.body)
    expect(bodies.filter((name) => !written.some((it) => it.name === name))).toEqual([])
  })

  test.each(written.map((it, n) => [it.name, foreignMasks[n % 4] as string, it] as const))(
    'by api %s: %s',
    async (name, mask, { params }) => {
      const ids = Object.fromEntries(Object.keys(params?.shape ?? {}).map((it) => [it, 1]))
      const data = JSON.stringify({ ...ids, headers: [{ name: 'X-Api-Key', value: mask }] })
      const run = await by.run(['api', name, '--data', data, '--yes'])
      expect(run).toMatchObject({
        exitCode: 5,
        stdout: '',
        stderr: expect.stringContaining(
          'headers.0.value (X-Api-Key) holds a mask instead of a credential. Nothing was sent.',
        ),
      })
      expect(run.stderr).toContain('If the value is not a mask, add --force.')
      expect(writes(run.requests)).toEqual([])
    },
  )

  const steps = [http({ url: 'https://crm.example/', headers: { authorization: 'Bearer [redacted]' } })]
  const flow = JSON.stringify({ trigger: webhook(), steps })
  const assistant =
    'assistants create --name A --type inbound --mode pipeline --llm-model-id 2 --language-id 1 --voice-id 1 --timezone Europe/London --initial-message Hello --system-prompt Hi'

  test.each([
    ['tools update 1 --header "X-Api-Key: ********"', 'X-Api-Key'],
    ['tools update 1 --data "{headers: [{name: X-Api-Key, value: <secret>}]}"', 'X-Api-Key'],
    ['tools update 1 --endpoint "https://crm.example/?token=********"', 'endpoint'],
    [
      'tools create --name a --description b --endpoint https://a.example --method GET --header "Authorization: Bearer ••••1234"',
      'Authorization',
    ],
    [
      `${assistant} --tools '[{"type":"calendar_integration","cal_a_api_key":"[redacted]","cal_a_event_slug":"x"}]'`,
      'tools.0.cal_a_api_key',
    ],
    [`automate create --name A --flow '${flow}'`, 'flow.steps.0.settings.input.headers.authorization'],
    ['leads create --campaign 1 --phone-number +14155550142 --var access_token=********', 'variables.access_token'],
    [`automate apply call-summary-by-email --params "{api_key: '********'}" --yes`, 'params.api_key'],
    [
      'sip-trunks create --phone-number +14155550190 --sip-username reception --sip-password "********" --sip-address pbx.example --country-code US --sip-calling-format e164 --inbound-authorization-type auth --sip-trunk-type number',
      'sip_password',
    ],
    [`server connections add --kind custom --name crm --account 1 --secret "{token: '********'}"`, 'secret.token'],
  ])('by %s', async (line, field) => {
    const run = await by.run(line)
    expect(run).toMatchObject({ exitCode: 5, stdout: '', stderr: expect.stringContaining(field) })
    expect(run.stderr).toContain('holds a mask instead of a credential. Nothing was sent.')
    expect(writes(run.requests)).toEqual([])
  })

  test('by an import of leads, in which it is found before the first row is sent', async () => {
    writeFileSync(join(by.cwd, 'leads.csv'), 'phone,name,api_key\n+14155550171,Ada,abc\n+14155550172,Grace,********\n')
    const run = await by.run('leads import --campaign 1 --file leads.csv --yes')
    expect(run).toMatchObject({ exitCode: 5, stdout: '' })
    expect(run.stderr).toContain('line 3, variables.api_key: A mask instead of a credential.')
    expect(writes(run.requests)).toEqual([])
    expect(await by.run('leads import --campaign 1 --file leads.csv --yes --force')).toMatchObject({ exitCode: 0 })
  })

  test('and sent with --force', async () => {
    const run = await by.run('tools update 1 --header "X-Api-Key: ********" --force')
    expect(run).toMatchObject({ exitCode: 0 })
    const { headers } = await by.json('tools get 1 --unmask')
    expect(headers).toContainEqual({ name: 'X-Api-Key', value: '********' })
  })

  test('other fields take any text', async () => {
    expect(await by.run('labels create --name "[Draft]"')).toMatchObject({ exitCode: 0 })
    expect(await by.run('tools update 2 --description "********" --header "X-Range: [0-10]"')).toMatchObject({
      exitCode: 0,
    })
  })
})
