import { describe, expect, test } from 'vitest'
import { type Operator, operator } from '../../../support/operator.ts'
import { all, change, desk, pulled, read, write, writes } from '../../features/as-code/code-folder.ts'

describe('secrets', () => {
  const secret = 'unmistakable-token'
  const crm = 'tools/crm.yaml'
  const holding = async (): Promise<Operator> => {
    const by = operator()
    const headers = JSON.stringify([
      { name: 'Authorization', value: `Bearer ${secret}` },
      { name: 'Accept', value: 'a/b' },
    ])
    await by.run([
      'tools',
      'create',
      '--name',
      'crm',
      '--description',
      'x',
      '--endpoint',
      `https://a.example/?token=${secret}&x=1`,
      '--method',
      'GET',
      '--headers',
      headers,
    ])
    await by.run([
      'assistants',
      'update',
      '2',
      '--tools',
      `[{"type":"calendar_integration","cal_a_api_key":"${secret}","cal_a_event_slug":"visit"}]`,
    ])
    await by.run('pull')
    return by
  }

  test('are references in files and never written in plain text; without changes no environment variable is needed', async () => {
    const by = await holding()
    expect(JSON.stringify(all(by))).not.toContain(secret)
    expect(read(by, crm)).toContain('endpoint: https://a.example/?token=${CRM_TOKEN}&x=1\n')
    expect(read(by, crm)).toContain('value: ${CRM_AUTHORIZATION}\n')
    expect(read(by, 'assistants/recall.yaml')).toContain('cal_a_api_key: ${RECALL_CAL_A_API_KEY}\n')
    expect(await by.run('push')).toMatchObject({ exitCode: 0, stdout: '' })
    change(by, crm, 'description: x', 'description: y')
    expect(await by.run('push')).toMatchObject({ exitCode: 0 })
    expect((await by.json('tools get crm --unmask')).headers[0].value).toBe(`Bearer ${secret}`)
  })

  test('are read from the environment when they are sent; a missing one is reported with file, field and name', async () => {
    const by = await holding()
    change(by, crm, 'a/b', 'c/d')
    change(by, crm, 'CRM_AUTHORIZATION', 'CRM')
    const refused = await by.run('push')
    expect(refused).toMatchObject({
      exitCode: 2,
      stderr: expect.stringMatching(
        /tools\/crm\.yaml: headers\.0\.value needs the environment variable CRM, which is not set/,
      ),
    })
    expect(writes(refused.requests)).toEqual([])
    expect(await by.run('push', { env: { CRM: 'Bearer other' } })).toMatchObject({ exitCode: 0 })
    expect((await by.json('tools get crm --unmask')).headers).toEqual([
      { name: 'Authorization', value: 'Bearer other' },
      { name: 'Accept', value: 'c/d' },
    ])
    change(by, crm, 'c/d', 'e/f')
    change(by, crm, '${CRM}', '••• hidden')
    expect(await by.run('push')).toMatchObject({ exitCode: 0 })
    expect((await by.json('tools get crm --unmask')).headers).toEqual([
      { name: 'Authorization', value: 'Bearer other' },
      { name: 'Accept', value: 'e/f' },
    ])
    await by.run('tools update crm --description z')
    await by.run('pull')
    expect(read(by, crm)).toContain('value: ••• hidden\n')
  })

  test('that are not set are all named at once, of every file', async () => {
    const by = await holding()
    const header = (name: string, variable: string): string => `  - name: ${name}\n    value: \${${variable}}\n`
    for (const name of ['ONE', 'TWO'])
      write(
        by,
        `tools/${name.toLowerCase()}.yaml`,
        `name: ${name.toLowerCase()}_tool\ndescription: d\nendpoint: https://x.example\nmethod: GET\nheaders:\n${header('A', `${name}_A`)}${header('B', `${name}_B`)}`,
      )
    const refused = await by.run('push')
    expect(refused.exitCode).toBe(2)
    for (const variable of ['ONE_A', 'ONE_B', 'TWO_A', 'TWO_B'])
      expect(refused.stderr).toContain(`needs the environment variable ${variable}, which is not set.`)
    expect(refused.stderr).toContain('hint: Set them: export ONE_A=… export ONE_B=… export TWO_A=… export TWO_B=…')
    expect(writes(refused.requests)).toEqual([])
  })

  test('that changed only in the environment are pushed', async () => {
    const by = await holding()
    const env = { CRM_AUTHORIZATION: `Bearer ${secret}`, CRM_TOKEN: secret, RECALL_CAL_A_API_KEY: secret }
    expect(await by.run('push', { env })).toMatchObject({ exitCode: 0, stdout: '' })
    expect(
      await by.run('push', { env: { ...env, CRM_AUTHORIZATION: 'Bearer new', RECALL_CAL_A_API_KEY: 'new' } }),
    ).toMatchObject({ exitCode: 0 })
    expect((await by.json('tools get crm --unmask')).headers[0].value).toBe('Bearer new')
    expect((await by.json('assistants get 2 --unmask')).tools[0].cal_a_api_key).toBe('new')
  })

  test('in plain text cause a warning', async () => {
    const by = await holding()
    change(by, crm, '${CRM_AUTHORIZATION}', 'Bearer written-down')
    expect((await by.run('push --dry-run')).stderr).toMatch(
      /^warning: tools\/crm\.yaml has a secret in plain text: headers\.0\.value\./,
    )
  })

  test('are not read from the environment for values that the platform already has', async () => {
    const by = operator()
    const tool = [
      'tools',
      'create',
      '--name',
      'odd',
      '--description',
      'x',
      '--endpoint',
      'https://x.example/${HOME}',
      '--method',
      'GET',
    ]
    await by.run([
      ...tool,
      '--static-fields',
      '[{"key":"a","value":"${HOME}"},{"key":"token","value":"{{caller_token}}"}]',
    ])
    await by.run('pull')
    expect(read(by, 'tools/odd.yaml')).toContain('value: $${HOME}\n')
    expect(read(by, 'tools/odd.yaml')).toContain('value: "{{caller_token}}"\n')
    expect(await by.run('push')).toMatchObject({ exitCode: 0, stdout: '' })
    change(by, 'tools/odd.yaml', '  - key: a', '  - key: b')
    change(by, 'tools/odd.yaml', 'https://x.example/', 'https://y.example/')
    expect(await by.run('push')).toMatchObject({ exitCode: 0 })
    expect(await by.json('tools get odd --unmask')).toMatchObject({
      endpoint: 'https://y.example/${HOME}',
      static_fields: [
        { key: 'b', value: '${HOME}' },
        { key: 'token', value: '{{caller_token}}' },
      ],
    })
  })

  test('are not searched for in texts: a prompt that looks like a reference is sent unchanged', async () => {
    const by = await pulled()
    const prompt = 'Say ${HELLO} and Bearer instruments.'
    await by.run(['assistants', 'update', '1', '--system-prompt', prompt])
    await by.run('pull')
    expect(read(by, desk)).toContain(prompt)
    change(by, desk, '${HELLO}', '${GOODBYE}')
    expect(await by.run('push')).toMatchObject({ exitCode: 0 })
    expect((await by.json('assistants get 1')).system_prompt).toContain('${GOODBYE}')
  })
})

test('the text [hidden] within a sentence is not a mask', async () => {
  const by = await pulled()
  change(by, desk, /^system_prompt: .*$/m, 'system_prompt: Say [hidden] when you do not know the number.')
  expect(await by.run('push')).toMatchObject({ exitCode: 0 })
  expect((await by.json('assistants get 1')).system_prompt).toBe('Say [hidden] when you do not know the number.')
  change(by, desk, /^system_prompt: .*$/m, 'system_prompt: Say [hidden] never.')
  expect(await by.run('push')).toMatchObject({ exitCode: 0 })
  expect((await by.json('assistants get 1')).system_prompt).toBe('Say [hidden] never.')
})
